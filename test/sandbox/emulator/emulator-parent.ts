/** A program for tests: starts an emulator, sends its process id to the parent, and waits to be killed. */
import { startEmulator } from '../../../sandbox/emulator/emulator-process.ts';

const [port, stateDirectory, venvDirectory] = process.argv.slice(2);
const emulator = await startEmulator({ port: Number(port), stateDirectory: stateDirectory!, venvDirectory: venvDirectory! });
process.send!(emulator.pid);
setInterval(() => undefined, 60_000);
