"""What MiniStack lacks of AWS, a file a gap. Each has a function `close`, called once before the emulator listens."""
