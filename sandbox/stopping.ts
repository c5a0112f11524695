import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './processes.ts';
import { SandboxError } from './sandbox-error.ts';
import { findSupervisor, type StateDirectory } from './state-directory.ts';

/** Longer than the emulator takes to write down what it holds. */
const patience = 30_000;

/** Stops the sandbox that runs from this directory and waits until it is gone. @returns false when none ran. */
export const stopSandbox = async (state: StateDirectory): Promise<boolean> => {
  const supervisor = await findSupervisor(state);
  if (!supervisor) return false;
  process.kill(supervisor.pid, 'SIGTERM');
  for (const until = Date.now() + patience; Date.now() < until;) {
    if (!isAlive(supervisor.pid)) return true;
    await delay(50);
  }
  throw new SandboxError(`The sandbox (process ${supervisor.pid}) did not end within ${patience / 1000} s.`, `kill -9 ${supervisor.pid} ends it; its children notice and end too.`);
};
