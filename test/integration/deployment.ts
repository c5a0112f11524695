import { readFileSync } from 'node:fs';
import type { SandboxDescription } from '../../sandbox/sandbox-description.ts';
import { clientsFromOutputs } from '../../sandbox/sandbox-stack.ts';

/** The deployment under test: what its outputs say, and what only a sandbox can tell besides. */
export type Deployed = Pick<SandboxDescription, 'outputs' | 'adminApiUrl' | 'jmapUrl' | 'webSocketUrl' | 'authUrl' | 'region' | 'clients' | 'users' | 'awsEndpointUrl' | 'caCertificate'>
  & Partial<Pick<SandboxDescription, 'trusted' | 'smtp' | 'outboxUrl' | 'sesApiUrl' | 'serviceQuotasUrl' | 'stackName'>>;

const outputsFile = process.env['POSTRIDER_OUTPUTS'];

/** From `cdk deploy --outputs-file`: `{ "<stack>": { "<output>": "<value>" } }`. */
const fromOutputs = (stackName: string, outputs: Record<string, string>): Deployed => ({
  outputs,
  adminApiUrl: outputs['adminApiUrl']!,
  jmapUrl: outputs['jmapUrl']!,
  webSocketUrl: outputs['webSocketUrl']!,
  authUrl: outputs['authUrl']!,
  region: outputs['region']!,
  stackName,
  clients: clientsFromOutputs(outputs),
  users: [],
});

const readDeployment = (): Deployed => {
  if (!outputsFile) throw new Error('POSTRIDER_OUTPUTS names no file. Run: npm run test:integration');
  const content = JSON.parse(readFileSync(outputsFile, 'utf8')) as Record<string, unknown>;
  if ('outputs' in content && 'users' in content) return content as unknown as SandboxDescription;
  const [stackName, outputs] = Object.entries(content)[0] ?? [];
  return fromOutputs(stackName ?? '', outputs as Record<string, string>);
};

export const deployed = readDeployment();

const requirements = {
  people: { is: deployed.users.length > 0, words: 'passwords of people' },
  smtp: { is: deployed.smtp !== undefined, words: 'an SMTP server that accepts mail for the users' },
  emulator: { is: deployed.awsEndpointUrl !== undefined, words: 'the emulator' },
  enforcement: { is: deployed.caCertificate !== undefined, words: 'the emulator enforcing IAM' },
  processes: { is: deployed.awsEndpointUrl !== undefined && process.platform === 'linux', words: 'the emulator on Linux, whose processes can be seen' },
} as const;

/** `describe` for behaviour that can be shown only where the deployment offers what is needed; elsewhere it is skipped and says why. */
export const describeWith = (...needed: (keyof typeof requirements)[]) => (title: string, body: () => void): void => {
  const missing = needed.filter((need) => !requirements[need].is).map((need) => requirements[need].words);
  if (missing.length === 0) describe(title, body);
  else describe.skip(`${title} [skipped: needs ${missing.join(' and ')}]`, body);
};

/** Somebody of the sandbox by what stands before the @. */
export const sandboxUser = (localPart: 'admin' | 'alice' | 'bob'): SandboxDescription['users'][number] =>
  deployed.users.find(({ email }) => email.startsWith(`${localPart}@`))!;
