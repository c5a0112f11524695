import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { environment } from '../contract/environment.ts';
import { adminApiAt } from './admin-api-client.ts';
import { sandboxRegion, type AwsPlace } from './aws-target.ts';
import { clientToken } from './client-credentials.ts';
import { bootstrap, deploy, synthesize, type Deployment } from './cdk-deployment.ts';
import { findDescription, writeDescription, type SandboxDescription, type SandboxUser } from './sandbox-description.ts';
import { prepareEnvironment } from './emulator/python-environment.ts';
import { startEmulator } from './emulator/emulator-process.ts';
import { startFrontDoor } from './gateway/gateway.ts';
import { startFrontPage, type FrontPage } from './front-page.ts';
import { assertKeptAddress } from './emulator-address.ts';
import { lambdaLogsOf, watchFailures } from './lambda-logs.ts';
import { ensureMailDomain } from './mail-domain.ts';
import { mailLine } from './mail-network/mail-event.ts';
import { startMailNetwork } from './mail-network/mail-network.ts';
import { ensurePeople } from './sandbox-users.ts';
import { assertFree, portsFrom, type Ports } from './ports.ts';
import { endAll } from './child-processes.ts';
import { activityLine, type Report, type Step } from './progress-report.ts';
import { startResolver } from './resolver/resolver.ts';
import { startServiceQuotas } from './service-quotas/service-quotas.ts';
import { clientsIn, contextFor, describe, mailDomainName, outputOf, stackName, urlsOf } from './sandbox-stack.ts';
import { alreadyRunning, claim, environmentDirectory, findSupervisor, passwordsOf, type StateDirectory } from './state-directory.ts';
import { readMail, welcome } from './welcome-mail.ts';

export type SandboxOptions = {
  readonly basePort: number;
  readonly state: StateDirectory;
  /** The emulator refuses what IAM policies do not allow. */
  readonly enforceIam: boolean;
  readonly report: Report;
  /** Aborted when the person in front of it has had enough. */
  readonly signal: AbortSignal;
};

export type RunningSandbox = {
  readonly description: SandboxDescription;
  /** Resolves when it cannot go on: the emulator ended by itself. */
  readonly broken: Promise<void>;
  /** Ends everything that was started, in reverse; what was stored stays. */
  stop(): Promise<void>;
};

type Emulator = AwsPlace & Required<Pick<SandboxDescription, 'awsEndpointUrl' | 'trusted'>>;
type Started = { readonly description: SandboxDescription; readonly broken: Promise<void> };
type FrontDoor = Awaited<ReturnType<typeof startFrontDoor>>;
type Run = SandboxOptions & { readonly ports: Ports; readonly page: FrontPage; readonly undo: (() => Promise<void> | void)[] };

/** One step: shown with its duration, on the front page too, and not begun once somebody pressed Ctrl-C. */
const stepIn = ({ report, signal, page }: Run) => <T>(title: string, work: (step: Step) => Promise<T>): Promise<T> => {
  signal.throwIfAborted();
  page.show({ state: 'starting', doing: title });
  return report.step(title, work);
};

const runEmulator = async ({ state, ports, enforceIam, undo }: Run): Promise<{ aws: Emulator; ended: Promise<void> }> => {
  await mkdir(state.emulator, { recursive: true });
  const log = createWriteStream(state.emulatorLog, { flags: 'w' });
  undo.push(() => new Promise<void>((resolve) => { log.end(resolve); }));
  const emulator = await startEmulator({
    port: ports.emulator,
    stateDirectory: state.emulator,
    venvDirectory: environmentDirectory,
    environment: {
      AWS_ENDPOINT_URL_SESV2: urlsOf(ports).sesApi,
      [environment.dnsServers]: `127.0.0.1:${ports.resolver}`,
      AWS_ENDPOINT_URL_SERVICE_QUOTAS: urlsOf(ports).serviceQuotas,
      // Where the emulator hands over mail that AWS sends by itself.
      SMTP_HOST: `127.0.0.1:${ports.mailRelay}`,
    },
    enforceIam,
    onLine: (line) => { log.write(`${line}\n`); },
  });
  undo.push(() => emulator.stop());
  return { aws: { awsEndpointUrl: emulator.endpoint, caCertificate: emulator.caCertificate, trusted: emulator.trusted, region: sandboxRegion }, ended: emulator.ended };
};

const runMailNetwork = async ({ state, ports, report, undo }: Run, aws: Emulator): Promise<void> => {
  await mkdir(state.mail, { recursive: true });
  const serviceQuotas = await startServiceQuotas({ port: ports.serviceQuotas, region: aws.region, stateDirectory: state.mail });
  undo.push(() => serviceQuotas.stop());
  const network = await startMailNetwork({
    ports: { smtp: ports.smtp, sesApi: ports.sesApi, outbox: ports.outbox, relay: ports.mailRelay },
    emulator: aws.awsEndpointUrl,
    region: aws.region,
    stateDirectory: state.mail,
    quotas: (quotaCode) => serviceQuotas.requests.valueOf(quotaCode),
    onMail: (event) => report.line(mailLine(event)),
  });
  undo.push(() => network.stop());
  const resolver = await startResolver({ port: ports.resolver, emulator: aws.awsEndpointUrl });
  undo.push(() => resolver.stop());
};

const runFrontDoor = async ({ ports, undo }: Run, aws: Emulator): Promise<FrontDoor> => {
  const { adminApi, jmap, webSocket, auth, identityProvider } = ports;
  const frontDoor = await startFrontDoor({
    ports: { admin: adminApi, jmap, webSocket, auth, identityProvider }, emulator: aws.awsEndpointUrl, stackName,
  });
  undo.push(() => frontDoor.stop());
  return frontDoor;
};

const deployStack = async (run: Run, aws: Emulator): Promise<Record<string, string>> => {
  const step = stepIn(run);
  const deployment = (detail: (text: string) => void): Deployment =>
    ({ aws, state: run.state, stackName, context: contextFor(run.ports, aws.awsEndpointUrl), signal: run.signal, detail });
  await step('CDK bootstrap', async ({ detail, note }) => { if (!await bootstrap(deployment(detail))) note('done before'); });
  await step('CDK synth', ({ detail }) => synthesize(deployment(detail)));
  return step('CDK deploy', async ({ detail, note }) => {
    const { outputs, changed } = await deploy(deployment(detail));
    if (!changed) note('unchanged');
    return outputs;
  });
};

const settlePeople = async (run: Run, aws: Emulator, outputs: Record<string, string>): Promise<SandboxUser[]> => {
  const step = stepIn(run);
  const clients = clientsIn(outputs);
  const authUrl = outputOf(outputs, 'authUrl');
  const domainAndAdmin = await step(`Domain ${mailDomainName}`, async ({ detail }) => {
    const { access_token: token } = await clientToken(clients.adminHeadless, 'adminApi/ADMIN', { ...aws, authUrl });
    const admin = adminApiAt(outputOf(outputs, 'adminApiUrl'), token, run.signal);
    return { admin, domain: await ensureMailDomain(admin, aws, mailDomainName, { signal: run.signal, detail }) };
  });
  return step('People and accounts', async ({ detail }) =>
    ensurePeople({ ...domainAndAdmin, aws, userPoolId: outputOf(outputs, 'userPoolId'), passwordOf: await passwordsOf(run.state) }, detail));
};

const watchLambdas = ({ report, undo }: Run, aws: Emulator): void => {
  undo.push(watchFailures(lambdaLogsOf(aws, stackName), ({ lambda, at }, failure) => report.line(activityLine('error', `${lambda}: ${failure}`, new Date(at)))));
};

const startAll = async (run: Run): Promise<Started> => {
  const step = stepIn(run);
  const before = await findDescription(run.state.description);
  await step('Python environment', ({ detail }) => prepareEnvironment({ directory: environmentDirectory, report: detail, signal: run.signal }));
  const { aws, ended } = await step('AWS emulator', () => runEmulator(run));
  await step('Mail network and resolver', () => runMailNetwork(run, aws));
  const frontDoor = await step('Front door', () => runFrontDoor(run, aws));
  const outputs = await deployStack(run, aws);
  await step('Front door finds the APIs', () => frontDoor.refresh());
  watchLambdas(run, aws);
  const users = await settlePeople(run, aws, outputs);
  const description = { ...describe(run.ports, outputs, aws, users), trusted: aws.trusted };
  await step('Mail is read over JMAP', async ({ detail, note }) => {
    for (const person of users.filter(({ accountId }) => accountId)) {
      detail(person.email);
      const isKnown = before?.users.some(({ accountId }) => accountId === person.accountId);
      await (isKnown ? readMail(person, description) : welcome(person, description, run.signal));
      if (isKnown) note('kept from before');
    }
  });
  await writeDescription(run.state.description, description);
  return { description, broken: ended };
};

/**
 * Starts a sandbox in this process: everything from the Python environment to a read message.
 * Fails with a SandboxError in words, or with the signal's reason; nothing is left behind then.
 */
export const startSandbox = async (options: SandboxOptions): Promise<RunningSandbox> => {
  const { state, basePort } = options;
  const ports = portsFrom(basePort);
  const other = await findSupervisor(state);
  if (other) throw alreadyRunning(state, other);
  assertKeptAddress((await findDescription(state.description))?.awsEndpointUrl, options);
  await assertFree(ports);
  const undo: Run['undo'] = [];
  const undoAll = async (): Promise<void> => {
    for (let action = undo.pop(); action; action = undo.pop()) {
      try {
        await action();
      } catch {
        // The rest is undone all the same.
      }
    }
    await endAll();
  };
  try {
    const page = await startFrontPage(basePort);
    undo.push(() => page.stop());
    undo.push(await claim(state, basePort));
    const run: Run = { ...options, ports, page, undo };
    const started = await startAll(run);
    page.show({ state: 'ready' }, started.description);
    return { ...started, stop: async () => { page.show({ state: 'stopping' }); await undoAll(); } };
  } catch (error) {
    await undoAll();
    throw error;
  }
};
