import { defaultBasePort, portsFrom } from './ports.ts';
import { SandboxError } from './sandbox-error.ts';

/** The base port of a sandbox, and whether its emulator enforces IAM, for which it uses TLS. */
type SandboxAddress = { readonly basePort: number; readonly enforceIam: boolean };

/** The emulator's port minus the base port. */
const emulatorOffset = portsFrom(defaultBasePort).emulator - defaultBasePort;

const optionsOf = ({ basePort, enforceIam }: SandboxAddress): string => `--port ${basePort}${enforceIam ? ' --enforce-iam' : ''}`;

/**
 * Checks that the emulator will have the same address as before. Its address is part of the URLs of its queues, which
 * the Lambdas use. At another address no message would be delivered.
 * @param previousEndpoint the emulator's endpoint when the sandbox was ready last, if it ever was.
 * @throws SandboxError when the requested address is another one.
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
