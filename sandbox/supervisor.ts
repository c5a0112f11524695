import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { environment } from '../contract/deployment/environment.ts';
import { adminApiClient } from './clients/admin-api-client.ts';
import { sandboxRegion, type AwsTarget } from './deployment/aws-target.ts';
import { bootstrap, deploy, synthesize, type CdkDeployment } from './deployment/cdk-deployment.ts';
import { clientToken } from './deployment/client-credentials.ts';
import { openLambdaLogs, watchFailures } from './deployment/lambda-logs.ts';
import { ensureMailDomain } from './deployment/mail-domain.ts';
import { clientsFromOutputs, cdkContext, describeSandbox, mailDomainName, requiredOutput, stackName, sandboxUrls } from './deployment/sandbox-stack.ts';
import { ensureUsers } from './deployment/sandbox-users.ts';
import { readInbox, deliverWelcomeMail } from './deployment/welcome-mail.ts';
import { startEmulator } from './emulator/emulator-process.ts';
import { preparePythonEnvironment } from './emulator/python-environment.ts';
import { endAllProcesses } from './process/child-processes.ts';
import { assertSameAddress } from './process/emulator-address.ts';
import { assertPortsFree, portsFrom, type Ports } from './process/ports.ts';
import { logLine, type Report, type Step } from './process/progress-report.ts';
import { startFrontPage, type FrontPage } from './services/front-page.ts';
import { startGateway } from './services/gateway/gateway.ts';
import { startResolver } from './services/resolver/resolver.ts';
import { startServiceQuotas } from './services/service-quotas/service-quotas.ts';
import { mailLogLine } from './services/ses/mail-event.ts';
import { startMailNetwork } from './services/ses/mail-network.ts';
import { strictBehaviour, type UndocumentedBehaviour } from './services/undocumented-behaviour.ts';
import { findDescription, writeDescription, type SandboxDescription, type SandboxUser } from './state/sandbox-description.ts';
import {
  alreadyRunningError,
  claimStateDirectory,
  privateLog,
  protectState,
  pythonEnvironmentDirectory,
  findSupervisor,
  passwordGenerator,
  type StateDirectory,
} from './state/state-directory.ts';

export type SandboxOptions = {
  readonly basePort: number;
  readonly state: StateDirectory;
  /** Whether the emulator refuses calls that no IAM policy allows. */
  readonly enforceIam: boolean;
  /** The checkout whose CDK app is deployed. Default: this one. */
  readonly appDirectory?: string;
  /** Whether failures in the Lambdas' logs are reported while it runs. Default: true. */
  readonly watchesLogs?: boolean;
  readonly report: Report;
  /** Aborted by Ctrl-C and by termination signals. */
  readonly signal: AbortSignal;
};

export type RunningSandbox = {
  readonly description: SandboxDescription;
  /** Resolves when the emulator has ended unexpectedly. */
  readonly broken: Promise<void>;
  /** The deployment by the CDK app of this checkout, for tests that deploy again. */
  readonly deployment: CdkDeployment;
  /** Makes the gateway serve the current deployment. */
  refresh(): Promise<void>;
  /** Stops all servers and processes in reverse order of their start. The state is kept. */
  stop(): Promise<void>;
};

type Emulator = AwsTarget & Required<Pick<SandboxDescription, 'awsEndpointUrl' | 'trusted'>>;
type Started = Omit<RunningSandbox, 'stop'>;
type FrontDoor = Awaited<ReturnType<typeof startGateway>>;
type Run = SandboxOptions & {
  readonly ports: Ports;
  readonly page: FrontPage;
  readonly undo: (() => Promise<void> | void)[];
  readonly undocumented: UndocumentedBehaviour;
};

/** Runs one step of the start and shows its progress, also on the front page. No step begins after Ctrl-C. */
const stepIn =
  ({ report, signal, page }: Run) =>
  <T>(title: string, work: (step: Step) => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    page.update({ state: 'starting', doing: title });
    return report.step(title, work);
  };

const runEmulator = async ({ state, ports, enforceIam, undo }: Run): Promise<{ aws: Emulator; ended: Promise<void> }> => {
  await mkdir(state.emulator, { recursive: true });
  const log = createWriteStream(state.emulatorLog, privateLog);
  undo.push(
    () =>
      new Promise<void>((resolve) => {
        log.end(resolve);
      }),
  );
  const emulator = await startEmulator({
    port: ports.emulator,
    stateDirectory: state.emulator,
    venvDirectory: pythonEnvironmentDirectory,
    environment: {
      AWS_ENDPOINT_URL_SES: sandboxUrls(ports).sesApi,
      AWS_ENDPOINT_URL_SESV2: sandboxUrls(ports).sesApi,
      [environment.dnsServers]: `127.0.0.1:${ports.resolver}`,
      AWS_ENDPOINT_URL_SERVICE_QUOTAS: sandboxUrls(ports).serviceQuotas,
      // The emulator sends the mail that AWS sends, such as invitations, to this server.
      SMTP_HOST: `127.0.0.1:${ports.mailRelay}`,
    },
    enforceIam,
    onLine: (line) => {
      log.write(`${line}\n`);
    },
  });
  undo.push(() => emulator.stop());
  return {
    aws: { awsEndpointUrl: emulator.endpoint, caCertificate: emulator.caCertificate, trusted: emulator.trusted, region: sandboxRegion },
    ended: emulator.ended,
  };
};

const runMailNetwork = async ({ state, ports, report, undo, undocumented }: Run, aws: Emulator): Promise<void> => {
  await mkdir(state.mail, { recursive: true });
  const serviceQuotas = await startServiceQuotas({ port: ports.serviceQuotas, emulator: aws.awsEndpointUrl, region: aws.region, stateDirectory: state.mail });
  undo.push(() => serviceQuotas.stop());
  const network = await startMailNetwork({
    ports: { smtp: ports.smtp, sesApi: ports.sesApi, outbox: ports.outbox, relay: ports.mailRelay },
    emulator: aws.awsEndpointUrl,
    region: aws.region,
    stateDirectory: state.mail,
    quotas: (quotaCode) => serviceQuotas.requests.appliedValue(quotaCode),
    undocumented,
    onMail: (event) => report.line(mailLogLine(event)),
  });
  undo.push(() => network.stop());
  const resolver = await startResolver({ port: ports.resolver, emulator: aws.awsEndpointUrl });
  undo.push(() => resolver.stop());
};

const runFrontDoor = async ({ ports, undo, undocumented }: Run, aws: Emulator): Promise<FrontDoor> => {
  const { adminApi, console, webmail, jmap, webSocket, auth, identityProvider } = ports;
  const frontDoor = await startGateway({
    ports: { admin: adminApi, console, webmail, jmap, webSocket, auth, identityProvider },
    emulator: aws.awsEndpointUrl,
    stackName,
    undocumented,
  });
  undo.push(() => frontDoor.stop());
  return frontDoor;
};

const deploymentOf = ({ state, ports, signal }: Run, aws: Emulator): CdkDeployment => ({
  aws,
  state,
  stackName,
  context: cdkContext(ports, aws.awsEndpointUrl),
  signal,
  detail: () => undefined,
});

const deployStack = async (run: Run, aws: Emulator): Promise<Record<string, string>> => {
  const step = stepIn(run);
  const { appDirectory } = run;
  const deployment = (detail: (text: string) => void): CdkDeployment => ({
    ...deploymentOf(run, aws),
    detail,
    ...(appDirectory !== undefined && { appDirectory }),
  });
  await step('CDK bootstrap', async ({ detail, note }) => {
    if (!(await bootstrap(deployment(detail)))) note('already done');
  });
  await step('CDK synth', ({ detail }) => synthesize(deployment(detail)));
  return step('CDK deploy', async ({ detail, note }) => {
    const { outputs, changed } = await deploy(deployment(detail));
    if (!changed) note('unchanged');
    return outputs;
  });
};

const settlePeople = async (run: Run, aws: Emulator, outputs: Record<string, string>): Promise<SandboxUser[]> => {
  const step = stepIn(run);
  const clients = clientsFromOutputs(outputs);
  const authUrl = requiredOutput(outputs, 'authUrl');
  const domainAndAdmin = await step(`Domain ${mailDomainName}`, async ({ detail }) => {
    const { access_token: token } = await clientToken(clients.adminHeadless, 'adminApi/ADMIN', { ...aws, authUrl });
    const admin = adminApiClient(requiredOutput(outputs, 'adminApiUrl'), token, run.signal);
    return { admin, domain: await ensureMailDomain(admin, aws, mailDomainName, { signal: run.signal, detail }) };
  });
  return step('Users and accounts', async ({ detail }) =>
    ensureUsers({ ...domainAndAdmin, aws, userPoolId: requiredOutput(outputs, 'userPoolId'), passwordOf: await passwordGenerator(run.state) }, detail),
  );
};

const watchLambdas = ({ report, undo, watchesLogs = true }: Run, aws: Emulator): void => {
  if (!watchesLogs) return;
  undo.push(watchFailures(openLambdaLogs(aws, stackName), ({ lambda, at }, failure) => report.line(logLine('error', `${lambda}: ${failure}`, new Date(at)))));
};

const startAll = async (run: Run): Promise<Started> => {
  const step = stepIn(run);
  const before = await findDescription(run.state.description);
  await step('Python environment', ({ detail }) => preparePythonEnvironment({ directory: pythonEnvironmentDirectory, report: detail, signal: run.signal }));
  const { aws, ended } = await step('AWS emulator', () => runEmulator(run));
  await step('Mail network and resolver', () => runMailNetwork(run, aws));
  const frontDoor = await step('Gateway', () => runFrontDoor(run, aws));
  const outputs = await deployStack(run, aws);
  await step('Gateway finds the APIs', () => frontDoor.refresh());
  watchLambdas(run, aws);
  const users = await settlePeople(run, aws, outputs);
  const description = { ...describeSandbox(run.ports, outputs, aws, users), trusted: aws.trusted };
  await step('Deliver mail and read it over JMAP', async ({ detail, note }) => {
    for (const person of users.filter(({ accountId }) => accountId)) {
      detail(person.email);
      const isKnown = before?.users.some(({ accountId }) => accountId === person.accountId);
      await (isKnown ? readInbox(person, description) : deliverWelcomeMail(person, description, run.signal));
      if (isKnown) note('mail of an earlier start');
    }
  });
  await writeDescription(run.state.description, description);
  return { description, broken: ended, deployment: deploymentOf(run, aws), refresh: () => frontDoor.refresh() };
};

/**
 * Starts a sandbox in this process, from the Python environment to a message that is delivered and read. When a step
 * fails, everything that was started is stopped.
 * @throws SandboxError, or the signal's reason.
 */
export const startSandbox = async (options: SandboxOptions): Promise<RunningSandbox> => {
  const { state, basePort } = options;
  const ports = portsFrom(basePort);
  await protectState(state);
  const other = await findSupervisor(state);
  if (other) throw alreadyRunningError(state, other);
  assertSameAddress((await findDescription(state.description))?.awsEndpointUrl, options);
  await assertPortsFree(ports);
  const undo: Run['undo'] = [];
  const undoAll = async (): Promise<void> => {
    for (let action = undo.pop(); action; action = undo.pop()) {
      try {
        await action();
      } catch {
        // A failed step must not keep the rest from being undone.
      }
    }
    await endAllProcesses();
  };
  try {
    const page = await startFrontPage(basePort);
    undo.push(() => page.stop());
    undo.push(await claimStateDirectory(state, basePort));
    const run: Run = { ...options, ports, page, undo, undocumented: strictBehaviour() };
    const started = await startAll(run);
    page.update({ state: 'ready' }, started.description);
    return {
      ...started,
      stop: async () => {
        page.update({ state: 'stopping' });
        await undoAll();
      },
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
};
