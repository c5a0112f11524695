"""What MiniStack lacks of AWS: one gap a file. Each has a function `patch`, called once before the emulator listens."""
