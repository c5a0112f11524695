/** A process of its own that starts an emulator, tells its parent the process id, and waits to be killed. */
import { startEmulator } from '../../../sandbox/emulator/emulator-process.ts';

const [port, stateDirectory, venvDirectory] = process.argv.slice(2);
const emulator = await startEmulator({ port: Number(port), stateDirectory: stateDirectory!, venvDirectory: venvDirectory! });
process.send!(emulator.pid);
setInterval(() => undefined, 60_000);
