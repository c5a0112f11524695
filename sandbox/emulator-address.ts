import { defaultBasePort, portsFrom } from './ports.ts';
import { SandboxError } from './sandbox-error.ts';

/** Where a sandbox listens, and whether its emulator enforces IAM, for which it speaks TLS. */
type Place = { readonly basePort: number; readonly enforceIam: boolean };

/** From a sandbox's first port to its emulator's. */
const offset = portsFrom(defaultBasePort).emulator - defaultBasePort;

const optionsOf = ({ basePort, enforceIam }: Place): string => `--port ${basePort}${enforceIam ? ' --enforce-iam' : ''}`;

/**
 * The emulator knows its queues, and the Lambdas know them too, by the address that it had when they were made: at another one no mail would move.
 * @param kept the emulator's address when the sandbox was ready last, if it ever was.
 * @throws SandboxError where that was another one.
 */
export const assertKeptAddress = (kept: string | undefined, wanted: Place): void => {
  if (kept === undefined) return;
  const { protocol, port } = new URL(kept);
  const before = { basePort: Number(port) - offset, enforceIam: protocol === 'https:' };
  if (before.basePort === wanted.basePort && before.enforceIam === wanted.enforceIam) return;
  throw new SandboxError(
    `What this sandbox keeps works as it was made only, with ${optionsOf(before)}; now it would be ${optionsOf(wanted)}.`,
    'Start it as it was made, forget what it keeps (npm run sandbox -- reset), or give the other one a directory of its own: --state DIR',
  );
};
