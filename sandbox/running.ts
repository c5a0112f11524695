import { findDescription, type SandboxDescription } from './description.ts';
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
