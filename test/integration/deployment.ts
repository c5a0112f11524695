import { readFileSync } from 'node:fs';
import { stackClientsFromOutputs, stackWithOutputs, type StackClients } from '../../sandbox/deployment/sandbox-stack.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';

/** The deployment under test: its outputs, and the additional fields of a sandbox. */
export type Deployed = Pick<
  SandboxDescription,
  'outputs' | 'adminApiUrl' | 'jmapUrl' | 'webSocketUrl' | 'authUrl' | 'region' | 'users' | 'awsEndpointUrl' | 'caCertificate'
> & {
  readonly clients: StackClients;
  /** A token of an admin, from --admin-token or of the command line. */ readonly adminToken?: string;
  /** The file in which tests on AWS record what they created. */ readonly createdFile?: string;
  /** What SES does for the domain of a deployment on AWS. */ readonly primaryDomain?: { readonly isSending: boolean; readonly isReceiving: boolean };
} & Partial<Pick<SandboxDescription, 'trusted' | 'smtp' | 'outboxUrl' | 'sesApiUrl' | 'serviceQuotasUrl' | 'stackName'>>;

const outputsFile = process.env['POSTRIDER_OUTPUTS'];

/** Reads the deployment from the outputs of a stack. */
const fromOutputs = (stackName: string, outputs: Readonly<Record<string, string>>): Deployed => ({
  outputs,
  adminApiUrl: outputs['adminApiUrl']!,
  jmapUrl: outputs['jmapUrl']!,
  webSocketUrl: outputs['webSocketUrl']!,
  authUrl: outputs['authUrl']!,
  region: outputs['region']!,
  stackName,
  clients: stackClientsFromOutputs(outputs),
  users: [],
});

const readDeployment = (): Deployed => {
  if (!outputsFile) throw new Error('POSTRIDER_OUTPUTS is not set. Run: npm run test:integration');
  const content = JSON.parse(readFileSync(outputsFile, 'utf8')) as Record<string, unknown>;
  if ('outputs' in content && 'users' in content) return content as unknown as SandboxDescription;
  const { stackName, outputs } = stackWithOutputs(content as Record<string, Record<string, string>>);
  return fromOutputs(stackName, outputs);
};

export const deployed = readDeployment();

/** Whether the environment has credentials for the AWS SDK, as in CI after the deployment. */
const hasAwsCredentials = ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'].some((name) => process.env[name] !== undefined);

const requirements = {
  users: { isMet: deployed.users.length > 0, text: 'passwords of users' },
  smtp: { isMet: deployed.smtp !== undefined, text: 'an SMTP server that accepts mail for the users' },
  adminHeadless: { isMet: deployed.clients.adminHeadless !== undefined, text: 'the headless client AdminHeadless' },
  mail: { isMet: deployed.smtp !== undefined || deployed.users.length > 0, text: 'an SMTP server, or users whose mail it can put behind SES' },
  sending: { isMet: deployed.smtp !== undefined || deployed.primaryDomain?.isSending === true, text: 'the domain of the deployment, verified by SES' },
  receiving: { isMet: deployed.smtp !== undefined || deployed.primaryDomain?.isReceiving === true, text: 'the MX record of the domain, which names SES' },
  credentials: { isMet: deployed.awsEndpointUrl !== undefined || hasAwsCredentials, text: 'credentials of the stack’s AWS account, in the environment' },
  webmail: { isMet: deployed.outputs['webmailUrl'] !== undefined, text: 'the web mail' },
  emulator: { isMet: deployed.awsEndpointUrl !== undefined, text: 'the emulator' },
  enforcement: { isMet: deployed.caCertificate !== undefined, text: 'the emulator enforcing IAM' },
  processes: { isMet: deployed.awsEndpointUrl !== undefined && process.platform === 'linux', text: 'the emulator on Linux, to find its processes' },
} as const;

/** `describe` for tests with requirements. A deployment without them skips the tests, and the title says why. */
export const describeWith =
  (...required: (keyof typeof requirements)[]) =>
  (title: string, body: () => void): void => {
    const missing = required.filter((name) => !requirements[name].isMet).map((name) => requirements[name].text);
    if (missing.length === 0) describe(title, body);
    else describe.skip(`${title} [skipped: needs ${missing.join(' and ')}]`, body);
  };

/** A user of the sandbox, by the local part of the e-mail address. */
export const sandboxUser = (localPart: 'admin' | 'alice' | 'bob'): SandboxDescription['users'][number] =>
  deployed.users.find(({ email }) => email.startsWith(`${localPart}@`))!;
