import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DescribeActiveReceiptRuleSetCommand, SESClient } from '@aws-sdk/client-ses';
import { adminApiClient } from '../../sandbox/clients/admin-api-client.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { deploy, synthesize, type CdkDeployment } from '../../sandbox/deployment/cdk-deployment.ts';
import { clientToken } from '../../sandbox/deployment/client-credentials.ts';
import { ensureMailDomain } from '../../sandbox/deployment/mail-domain.ts';
import { cdkContext, clientsFromOutputs, describeSandbox, requiredOutput } from '../../sandbox/deployment/sandbox-stack.ts';
import { ensureUsers } from '../../sandbox/deployment/sandbox-users.ts';
import { freeBasePort, portsFrom } from '../../sandbox/process/ports.ts';
import { plainLines, progressReport } from '../../sandbox/process/progress-report.ts';
import { startGateway } from '../../sandbox/services/gateway/gateway.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { passwordGenerator, projectDirectory, stateDirectory } from '../../sandbox/state/state-directory.ts';
import { startSandbox, type RunningSandbox } from '../../sandbox/supervisor.ts';
import { deleteServices } from '../first-hour/delete-services.ts';
import { interruptSignal } from '../test-stages.ts';
import { mailClientOf, subjectsWith } from './mail-client.ts';
import { deliverWhile } from './mail-in-flight.ts';

/**
 * `npm run test:two-deployments`: a second deployment in the AWS account and region of a first one. Both receive mail by
 * the active receipt rule set of SES, which they share, while the second one is created, is used, is deleted and is
 * deployed again.
 */
const { values } = parseArgs({ options: { port: { type: 'string' } } });
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const second = { name: 'PostriderStaging', domain: 'staging.test' };
const signal = interruptSignal();

/** Deploys the second stacks, with APIs behind a gateway on other ports, and creates their domain, users and accounts. */
const deploySecond = async ({ description, deployment }: RunningSandbox, basePort: number) => {
  const ports = portsFrom(basePort);
  const state = stateDirectory(join(projectDirectory, '.postrider', 'two-deployments', 'second'));
  const aws = { ...description, awsEndpointUrl: description.awsEndpointUrl! };
  const context = { ...cdkContext(ports, aws.awsEndpointUrl), stackName: second.name, domain: second.domain, adminEmail: `admin@${second.domain}` };
  const ofSecond: CdkDeployment = { ...deployment, state, stackName: second.name, context };
  await synthesize(ofSecond);
  const { outputs } = await deploy(ofSecond);
  const { adminApi, console, webmail, jmap, webSocket, auth, identityProvider } = ports;
  const gateway = await startGateway({
    ports: { admin: adminApi, console, webmail, jmap, webSocket, auth, identityProvider },
    emulator: aws.awsEndpointUrl,
    stackName: second.name,
  });
  await gateway.refresh();
  const { access_token: token } = await clientToken(clientsFromOutputs(outputs).adminHeadless, 'adminApi/ADMIN', {
    ...aws,
    authUrl: requiredOutput(outputs, 'authUrl'),
  });
  const admin = adminApiClient(requiredOutput(outputs, 'adminApiUrl'), token, signal);
  const domain = await ensureMailDomain(admin, aws, second.domain, { signal, detail: () => undefined });
  const users = await ensureUsers(
    { admin, aws, domain, userPoolId: requiredOutput(outputs, 'userPoolId'), passwordOf: await passwordGenerator(state) },
    () => undefined,
  );
  // Mail for both deployments comes through the SMTP server of the first.
  const described = { ...describeSandbox(ports, outputs, aws, users), smtp: description.smtp };
  return { description: described as SandboxDescription, stop: () => gateway.stop() };
};

/** Deletes the services of the second deployment. Its data stays, as after every deployment. */
const deleteSecond = async ({ description }: RunningSandbox): Promise<void> => {
  const client = new CloudFormationClient(awsClientConfig(description));
  await deleteServices(client, second.name, say);
  client.destroy();
};

/** The names of the receipt rules in the active set. */
const ruleNames = async ({ description }: RunningSandbox): Promise<string[]> => {
  const client = new SESClient({ ...awsClientConfig(description), endpoint: description.sesApiUrl });
  const { Rules: rules = [] } = await client.send(new DescribeActiveReceiptRuleSetCommand({}));
  client.destroy();
  return rules.map(({ Name: name = '' }) => name);
};

/** Sends mail to the first user with an account until `work` is done. @returns whether each message arrived once. */
const receivesWhile = async (deployment: SandboxDescription, work: () => Promise<void>): Promise<boolean> => {
  const person = deployment.users.find(({ accountId }) => accountId)!;
  const { accepted, lost, doubled } = await deliverWhile(deployment, person.email, await mailClientOf(person, deployment), work);
  say(`mail to ${person.email}: ${accepted} accepted, ${lost.length} lost, ${doubled.length} doubled`);
  return accepted > 0 && lost.length === 0 && doubled.length === 0;
};

const subjectsOfFirstUser = async (deployment: SandboxDescription): Promise<string[]> =>
  (
    await subjectsWith(
      await mailClientOf(
        deployment.users.find(({ accountId }) => accountId)!,
        deployment,
      ),
      '',
    )
  ).toSorted();

const run = async (): Promise<readonly (readonly [title: string, isHeld: boolean])[]> => {
  const basePort = values.port === undefined ? await freeBasePort(6950) : Number(values.port);
  const state = stateDirectory(join(projectDirectory, '.postrider', 'two-deployments', 'first'));
  const report = progressReport(plainLines((text) => process.stdout.write(text)));
  const first = await startSandbox({ basePort, state, enforceIam: false, report, signal });
  try {
    let staging: Awaited<ReturnType<typeof deploySecond>> | undefined;
    const firstDuringCreation = await receivesWhile(first.description, async () => {
      staging = await deploySecond(first, await freeBasePort(basePort + 100));
    });
    const secondBesideFirst = await receivesWhile(staging!.description, () => Promise.resolve());
    const shared = await ruleNames(first);
    say(`rules of the active set: ${shared.join(', ')}`);
    const before = await subjectsOfFirstUser(staging!.description);
    await staging!.stop();
    const firstDuringDeletion = await receivesWhile(first.description, () => deleteSecond(first));
    const left = await ruleNames(first);
    say(`rules after the deletion: ${left.join(', ')}`);
    const again = await deploySecond(first, await freeBasePort(basePort + 100));
    const kept = await subjectsOfFirstUser(again.description);
    const secondAgain = await receivesWhile(again.description, () => Promise.resolve());
    await again.stop();
    const ofSecond = (names: readonly string[]) => names.filter((name) => name.startsWith(`${second.name}-deliver-`)).length;
    const ofFirst = (names: readonly string[]) => names.filter((name) => name.startsWith('Postrider-deliver-')).length;
    return [
      ['the first deployment receives mail while a second one is created', firstDuringCreation],
      ['the second deployment receives mail beside the first', secondBesideFirst],
      ['both have rules in the active set', ofFirst(shared) > 0 && ofSecond(shared) > 0],
      ['the first deployment receives mail while the second one is deleted', firstDuringDeletion],
      ['the rules of the first alone are left', ofFirst(left) > 0 && ofSecond(left) === 0],
      ['the second deployment has its mail when it is deployed again', before.length > 0 && isDeepStrictEqual(kept, before)],
      ['the second deployment receives mail when it is deployed again', secondAgain],
    ];
  } finally {
    await first.stop();
    await rm(join(projectDirectory, '.postrider', 'two-deployments'), { recursive: true, force: true, maxRetries: 5 });
  }
};

const results = await run();
for (const [title, isHeld] of results) say(`${isHeld ? '✓' : '✗'} ${title}`);
const failed = results.filter(([, isHeld]) => !isHeld).length;
say(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
