import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './child-processes.ts';
import { findDescription, type SandboxDescription } from './sandbox-description.ts';
import { SandboxError } from './sandbox-error.ts';
import { commandFor, findSupervisor, type SandboxStatus, type StateDirectory, type Supervisor } from './state-directory.ts';

/** The description of the sandbox that runs from this directory. @throws SandboxError when none does, or it is not ready yet. */
export const runningSandbox = async (state: StateDirectory): Promise<{ supervisor: Supervisor & SandboxStatus; description: SandboxDescription }> => {
  const supervisor = await findSupervisor(state);
  if (!supervisor) throw new SandboxError(`No sandbox runs from ${state.path}.`, `Start one: ${commandFor(state, 'npm start')}`);
  const description = await findDescription(state.description);
  if (supervisor.state !== 'ready' || !description) {
    throw new SandboxError(`The sandbox is not ready yet (${supervisor.state}${supervisor.doing ? `: ${supervisor.doing}` : ''}).`, `Look at it: ${commandFor(state, 'npm run sandbox -- status')}`);
  }
  return { supervisor, description };
};

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
