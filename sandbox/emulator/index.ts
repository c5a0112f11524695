export { prepareEnvironment, pythonOf, type Preparation } from './environment.ts';
export { startEmulator, type Emulator, type EmulatorOptions } from './emulator-process.ts';
