import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../../cli/import/process-start.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import { findDescription, type SandboxDescription } from './sandbox-description.ts';
import { commandFor, findSupervisor, type SandboxStatus, type StateDirectory, type Supervisor } from './state-directory.ts';

/** The sandbox that runs with this state directory. @throws SandboxError when none runs or it is not ready yet. */
export const getRunningSandbox = async (state: StateDirectory): Promise<{ supervisor: Supervisor & SandboxStatus; description: SandboxDescription }> => {
  const supervisor = await findSupervisor(state);
  if (!supervisor) {
    throw new SandboxError(`No sandbox runs with the state directory ${state.path}.`, `Start one: ${commandFor(state, 'npm start')}`);
  }
  const description = await findDescription(state.description);
  if (supervisor.state !== 'ready' || !description) {
    throw new SandboxError(
      `The sandbox is not ready yet (${supervisor.state}${supervisor.doing ? `: ${supervisor.doing}` : ''}).`,
      `Its status: ${commandFor(state, 'npm run sandbox -- status')}`,
    );
  }
  return { supervisor, description };
};

/** Timeout of stopping in milliseconds, longer than the emulator needs to write its state. */
const stopTimeout = 30_000;

/**
 * Stops the sandbox that runs with this state directory and waits until its process has ended.
 * @returns false when none ran.
 */
export const stopSandbox = async (state: StateDirectory): Promise<boolean> => {
  const supervisor = await findSupervisor(state);
  if (!supervisor) return false;
  process.kill(supervisor.pid, 'SIGTERM');
  for (const until = Date.now() + stopTimeout; Date.now() < until;) {
    if (!isAlive(supervisor.pid)) return true;
    await delay(50);
  }
  throw new SandboxError(
    `The sandbox (process ${supervisor.pid}) did not end within ${stopTimeout / 1000} s.`,
    `End it with: kill -9 ${supervisor.pid}. Its child processes end too.`,
  );
};
