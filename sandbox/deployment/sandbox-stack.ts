import type { Ports } from '../process/ports.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import type { SandboxDescription, SandboxUser } from '../state/sandbox-description.ts';
import { emulatorAccount, type AwsTarget } from './aws-target.ts';

/** The domain whose mail every sandbox handles. */
export const mailDomainName = 'example.test';
export const stackName = 'Postrider';

const loopback = (scheme: string, port: number): string => `${scheme}://127.0.0.1:${port}`;

export const sandboxUrls = (ports: Ports) => ({
  adminApi: loopback('http', ports.adminApi),
  console: loopback('http', ports.console),
  webmail: loopback('http', ports.webmail),
  jmap: loopback('http', ports.jmap),
  webSocket: loopback('ws', ports.webSocket),
  auth: loopback('http', ports.auth),
  identityProvider: loopback('http', ports.identityProvider),
  outbox: `${loopback('http', ports.outbox)}/`,
  sesApi: loopback('http', ports.sesApi),
  serviceQuotas: loopback('http', ports.serviceQuotas),
});

/**
 * The CDK context of a sandbox (docs/deploy.md), with the URLs of the gateway and of the emulator's API Gateway
 * management API.
 */
export const cdkContext = (ports: Ports, emulator: string): Record<string, unknown> => {
  const { adminApi, console, webmail, jmap, webSocket, auth, identityProvider } = sandboxUrls(ports);
  return {
    domain: mailDomainName,
    stackName,
    adminEmail: `admin@${mailDomainName}`,
    removalPolicy: 'destroy',
    mfa: 'off',
    publicUrls: { adminApi, console, webmail, jmap, webSocket, webSocketManagement: `${emulator}/_aws/execute-api/{apiId}/jmap`, auth, identityProvider },
    // Web Push may be sent to receivers on this machine.
    webPushNetworks: ['127.0.0.0/8'],
    // Enough that messages of all queues are handled as they arrive, by as many processes as a small machine can bear.
    lambdaConcurrency: 40,
    // The emulated account's root credentials may assume the support roles.
    supportPrincipals: [`arn:aws:iam::${emulatorAccount}:root`],
    headlessClients: [
      { name: 'JmapHeadless', audiences: ['jmapApi'], permissions: ['MAIL_READ', 'MAIL_WRITE', 'MAIL_SEND'] },
      { name: 'AdminHeadless', audiences: ['adminApi'], permissions: ['ADMIN'] },
    ],
  };
};

/**
 * The stack that has outputs, and its outputs, from the file of `cdk deploy --all --outputs-file`: `{ "<stack>": {
 * "<output>": "<value>" } }`. The other stacks of the deployment have no outputs.
 */
export const stackWithOutputs = (
  stacks: Readonly<Record<string, Readonly<Record<string, string>>>>,
): { readonly stackName: string; readonly outputs: Readonly<Record<string, string>> } => {
  const [stackName = '', outputs = {}] = Object.entries(stacks).find(([, { adminApiUrl }]) => adminApiUrl !== undefined) ?? [];
  return { stackName, outputs };
};

/** A stack output. @throws SandboxError when the stack has no such output. */
export const requiredOutput = (outputs: Readonly<Record<string, string>>, name: string): string => {
  const value = outputs[name];
  if (!value) throw new SandboxError(`The stack has no output ${name}. It has: ${Object.keys(outputs).join(', ') || 'none'}.`);
  return value;
};

const headlessClient = (outputs: Readonly<Record<string, string>>, name: string) => ({
  clientId: requiredOutput(outputs, `${name}ClientId`),
  clientSecretArn: requiredOutput(outputs, `${name}ClientSecret`),
});

/** The OAuth clients of a stack, from its outputs. */
export const clientsFromOutputs = (outputs: Readonly<Record<string, string>>): SandboxDescription['clients'] => ({
  jmapHeadless: headlessClient(outputs, 'JmapHeadless'),
  adminHeadless: headlessClient(outputs, 'AdminHeadless'),
  console: { clientId: requiredOutput(outputs, 'consoleClientId') },
  cli: { clientId: requiredOutput(outputs, 'cliClientId') },
});

/** The OAuth clients of any stack, which may have no headless client for the admin API. */
export type StackClients = Omit<SandboxDescription['clients'], 'adminHeadless'> & Partial<Pick<SandboxDescription['clients'], 'adminHeadless'>>;

export const stackClientsFromOutputs = (outputs: Readonly<Record<string, string>>): StackClients => ({
  jmapHeadless: headlessClient(outputs, 'JmapHeadless'),
  ...(outputs['AdminHeadlessClientId'] && { adminHeadless: headlessClient(outputs, 'AdminHeadless') }),
  console: { clientId: requiredOutput(outputs, 'consoleClientId') },
  cli: { clientId: requiredOutput(outputs, 'cliClientId') },
});

export const describeSandbox = (
  ports: Ports,
  outputs: Readonly<Record<string, string>>,
  aws: AwsTarget,
  users: readonly SandboxUser[],
): SandboxDescription => ({
  outputs,
  webmailUrl: requiredOutput(outputs, 'webmailUrl'),
  consoleUrl: requiredOutput(outputs, 'consoleUrl'),
  adminApiUrl: requiredOutput(outputs, 'adminApiUrl'),
  jmapUrl: requiredOutput(outputs, 'jmapUrl'),
  webSocketUrl: requiredOutput(outputs, 'webSocketUrl'),
  authUrl: requiredOutput(outputs, 'authUrl'),
  smtp: { host: '127.0.0.1', port: ports.smtp },
  outboxUrl: sandboxUrls(ports).outbox,
  sesApiUrl: sandboxUrls(ports).sesApi,
  serviceQuotasUrl: sandboxUrls(ports).serviceQuotas,
  region: aws.region,
  stackName,
  users,
  clients: clientsFromOutputs(outputs),
  awsEndpointUrl: aws.awsEndpointUrl,
  caCertificate: aws.caCertificate,
});
