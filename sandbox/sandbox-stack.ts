import { emulatorAccount, type AwsPlace } from './aws-target.ts';
import type { SandboxDescription, SandboxUser } from './sandbox-description.ts';
import type { Ports } from './ports.ts';
import { SandboxError } from './sandbox-error.ts';

/** The domain whose mail every sandbox handles. */
export const mailDomainName = 'example.test';
export const stackName = 'Postrider';

const loopback = (scheme: string, port: number): string => `${scheme}://127.0.0.1:${port}`;

export const urlsOf = (ports: Ports) => ({
  adminApi: loopback('http', ports.adminApi),
  jmap: loopback('http', ports.jmap),
  webSocket: loopback('ws', ports.webSocket),
  auth: loopback('http', ports.auth),
  identityProvider: loopback('http', ports.identityProvider),
  outbox: `${loopback('http', ports.outbox)}/`,
  sesApi: loopback('http', ports.sesApi),
  serviceQuotas: loopback('http', ports.serviceQuotas),
});

/** The CDK context of a sandbox (docs/deploy.md): the app that goes to AWS, told where its front door is, and where the emulator has API Gateway's management API. */
export const contextFor = (ports: Ports, emulator: string): Record<string, unknown> => {
  const { adminApi, jmap, webSocket, auth, identityProvider } = urlsOf(ports);
  return {
    domain: mailDomainName,
    stackName,
    adminEmail: `admin@${mailDomainName}`,
    removalPolicy: 'destroy',
    consoleOrigins: [loopback('http', ports.frontPage)],
    publicUrls: { adminApi, jmap, webSocket, webSocketManagement: `${emulator}/_aws/execute-api/{apiId}/jmap`, auth, identityProvider },
    // Receivers of Web Push on this machine.
    webPushNetworks: ['127.0.0.0/8'],
    // The supporters are whoever holds the emulated account's own credentials.
    supportPrincipals: [`arn:aws:iam::${emulatorAccount}:root`],
    headlessClients: [
      { name: 'JmapHeadless', audiences: ['jmapApi'], permissions: ['MAIL_READ', 'MAIL_WRITE', 'MAIL_SEND'] },
      { name: 'AdminHeadless', audiences: ['adminApi'], permissions: ['ADMIN'] },
    ],
  };
};

/** @throws SandboxError when the stack lacks an output that tests and tools need. */
export const outputOf = (outputs: Readonly<Record<string, string>>, name: string): string => {
  const value = outputs[name];
  if (!value) throw new SandboxError(`The stack has no output ${name}. It has: ${Object.keys(outputs).join(', ') || 'none'}.`);
  return value;
};

const headless = (outputs: Readonly<Record<string, string>>, name: string) =>
  ({ clientId: outputOf(outputs, `${name}ClientId`), clientSecretArn: outputOf(outputs, `${name}ClientSecret`) });

/** What a stack's outputs say about its clients. */
export const clientsIn = (outputs: Readonly<Record<string, string>>): SandboxDescription['clients'] => ({
  jmapHeadless: headless(outputs, 'JmapHeadless'),
  adminHeadless: headless(outputs, 'AdminHeadless'),
  console: { clientId: outputOf(outputs, 'consoleClientId') },
  cli: { clientId: outputOf(outputs, 'cliClientId') },
});

export const describe = (ports: Ports, outputs: Readonly<Record<string, string>>, aws: AwsPlace, users: readonly SandboxUser[]): SandboxDescription => ({
  outputs,
  adminApiUrl: outputOf(outputs, 'adminApiUrl'),
  jmapUrl: outputOf(outputs, 'jmapUrl'),
  webSocketUrl: outputOf(outputs, 'webSocketUrl'),
  authUrl: outputOf(outputs, 'authUrl'),
  smtp: { host: '127.0.0.1', port: ports.smtp },
  outboxUrl: urlsOf(ports).outbox,
  sesApiUrl: urlsOf(ports).sesApi,
  serviceQuotasUrl: urlsOf(ports).serviceQuotas,
  region: aws.region,
  stackName,
  users,
  clients: clientsIn(outputs),
  awsEndpointUrl: aws.awsEndpointUrl,
  caCertificate: aws.caCertificate,
});
