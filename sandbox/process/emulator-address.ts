import { defaultBasePort, portsFrom } from './ports.ts';
import { SandboxError } from './sandbox-error.ts';

/** The base port of a sandbox, and whether its emulator enforces IAM (over TLS). */
type SandboxAddress = { readonly basePort: number; readonly enforceIam: boolean };

/** The emulator's port minus the base port. */
const emulatorOffset = portsFrom(defaultBasePort).emulator - defaultBasePort;

const optionsOf = ({ basePort, enforceIam }: SandboxAddress): string => `--port ${basePort}${enforceIam ? ' --enforce-iam' : ''}`;

/**
 * Checks that the emulator will have the same address as before, because the URLs of its queues contain the address,
 * and the Lambdas use these URLs. At another address no message would be delivered.
 * @param previousEndpoint the emulator's endpoint when the sandbox was last ready; undefined if it never was.
 * @throws SandboxError when the requested address is different.
 */
export const assertSameAddress = (previousEndpoint: string | undefined, requested: SandboxAddress): void => {
  if (previousEndpoint === undefined) return;
  const { protocol, port } = new URL(previousEndpoint);
  const previous = { basePort: Number(port) - emulatorOffset, enforceIam: protocol === 'https:' };
  if (previous.basePort === requested.basePort && previous.enforceIam === requested.enforceIam) return;
  throw new SandboxError(
    `The state of this sandbox can be used only with ${optionsOf(previous)}, but it was started with ${optionsOf(requested)}.`,
    'Start it with the same options, delete its state (npm run sandbox -- reset), or use another state directory: --state DIR',
  );
};
