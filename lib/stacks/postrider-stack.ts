import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { authorizationPaths } from '../../contract/jmap/discovery.ts';
import { AccountRemoval } from '../admin/account-removal.ts';
import { AdminEndpoint } from '../admin/admin-api.ts';
import { AlarmTopic } from '../admin/alarm-topic.ts';
import { monitoredResources, queueArns, type QueueArns } from '../admin/monitoring.ts';
import { SupportRoles } from '../admin/support-roles.ts';
import { Watch } from '../admin/watch.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import { DomainNames, hostNames, srvTarget, type DomainNamesProps } from '../endpoints/domain-names.ts';
import { Site } from '../endpoints/site.ts';
import { JmapApi } from '../jmap/jmap-api.ts';
import { Push } from '../jmap/push.ts';
import { WebSocketApi } from '../jmap/web-socket-api.ts';
import { backgroundConcurrency } from '../lambda/background-concurrency.ts';
import { DeploymentStack } from '../lambda/deployment-stack.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import type { LambdaEnvironment } from '../lambda/lambda-function.ts';
import { SharedValues, sharedValue } from '../lambda/shared-values.ts';
import { InboundMail } from '../mail/inbound-mail.ts';
import { Indexer } from '../mail/indexer.ts';
import { MailCleanup } from '../mail/mail-cleanup.ts';
import { OutboundMail } from '../mail/outbound-mail.ts';
import { TopicKey } from '../mail/topic-key.ts';
import { recordDeployedClients } from '../sign-in/deployed-clients.ts';
import { HostedSignIn } from '../sign-in/hosted-sign-in.ts';
import { importedStorage, type Storage } from '../state/imported-storage.ts';

export type PostriderStackProps = { readonly context: DeploymentContext; readonly code: LambdaCode };

/** The parts of the stack with URLs, queues, roles and names that others read. */
type Services = {
  readonly console: Site;
  readonly webmail: Site | undefined;
  readonly userPool: HostedSignIn;
  readonly outboundMail: OutboundMail;
  readonly inboundMail: InboundMail;
  readonly accountRemoval: AccountRemoval;
  readonly mailCleanup: MailCleanup;
  readonly supportRoles: SupportRoles;
  readonly webSocketApi: WebSocketApi;
  readonly jmapApi: JmapApi;
  readonly adminApi: AdminEndpoint;
};

const consoleSettings = ({ domain, mfa }: DeploymentContext, { adminApi, jmapApi, webmail, userPool }: Services): LambdaEnvironment => ({
  mailDomain: domain,
  mfa,
  adminApiUrl: adminApi.url,
  jmapUrl: jmapApi.url,
  webmailUrl: webmail?.url,
  authUrl: userPool.authUrl,
  userPoolId: userPool.pool.userPoolId,
  consoleClientId: userPool.consoleClient.ref,
  cliClientId: userPool.cliClient.ref,
});

const webmailSettings = ({ jmapApi, webSocketApi, userPool }: Services): LambdaEnvironment => {
  const { url: jmapUrl, uploadUrl, downloadUrl } = jmapApi;
  const { authUrl, webmailClient } = userPool;
  return { jmapUrl, uploadUrl, downloadUrl, webSocketUrl: webSocketApi.url, authUrl, webmailClientId: webmailClient?.ref };
};

/** The API behind each host name, and the paths of the JMAP API's host name that other APIs serve. */
const apisOfHosts = (names: ReturnType<typeof hostNames>, { console, webmail, webSocketApi, jmapApi, adminApi }: Services): DomainNamesProps['apis'] => {
  const { blobs, authorization, endpoint } = jmapApi;
  const blobPaths = Array.from(blobs.stages, ([path, { stageName }]) => ({ path, apiId: blobs.api.restApiId, stage: stageName }));
  const { api, stage } = authorization;
  const oauthPath = { path: authorizationPaths.oauth, apiId: api.apiId, stage: stage.stageName, after: stage };
  return [
    { hostName: names.admin, api: adminApi.endpoint.api, stage: adminApi.endpoint.stage },
    { hostName: names.console, api: console.endpoint.api, stage: console.endpoint.stage },
    ...(webmail && names.webmail ? [{ hostName: names.webmail, api: webmail.endpoint.api, stage: webmail.endpoint.stage }] : []),
    { hostName: names.jmap, api: endpoint.api, stage: endpoint.stage, paths: [...blobPaths, oauthPath] },
    { hostName: names.webSocket, api: webSocketApi.api, stage: webSocketApi.stage },
  ];
};

const sharedValues = (
  context: DeploymentContext,
  { console, webmail, inboundMail, outboundMail, accountRemoval, mailCleanup, supportRoles, jmapApi, adminApi }: Services,
  resources: string,
  queues: QueueArns,
): Readonly<Record<string, string>> => ({
  adminApiId: adminApi.endpoint.api.apiId,
  consoleApiId: console.endpoint.api.apiId,
  jmapServer: srvTarget(jmapApi.url, hostNames(context).jmap),
  jmapUrl: jmapApi.url,
  consoleUrl: console.url,
  ...(webmail && { webmailUrl: webmail.url }),
  inboundQueueArn: inboundMail.inboundQueue.queue.queueArn,
  inboundQueueUrl: inboundMail.inboundQueue.queue.queueUrl,
  submitQueueArn: outboundMail.submitQueue.queue.queueArn,
  submitQueueUrl: outboundMail.submitQueue.queue.queueUrl,
  accountRemovalQueueArn: accountRemoval.removalQueue.queue.queueArn,
  accountRemovalQueueUrl: accountRemoval.removalQueue.queue.queueUrl,
  cleanupQueueArn: mailCleanup.cleanupQueue.queue.queueArn,
  cleanupQueueUrl: mailCleanup.cleanupQueue.queue.queueUrl,
  supportDiagRoleArn: supportRoles.arns.DIAG.role,
  supportDiagRightsArn: supportRoles.arns.DIAG.rights,
  supportConfigReadRoleArn: supportRoles.arns.CONFIG_READ.role,
  supportConfigReadRightsArn: supportRoles.arns.CONFIG_READ.rights,
  monitoredResources: resources,
  workQueueArns: queues.work,
  deadLetterQueueArns: queues.dead,
});

/** The value of each output. For a client's secret, only the ARN is an output. */
const deploymentOutputs = (
  stack: Stack,
  { headlessClients }: DeploymentContext,
  storage: Storage,
  { console, webmail, userPool, outboundMail, inboundMail, supportRoles, webSocketApi, jmapApi, adminApi }: Services,
): Readonly<Record<string, string>> => ({
  consoleUrl: console.url,
  ...(webmail && { webmailUrl: webmail.url }),
  adminApiUrl: adminApi.url,
  jmapUrl: jmapApi.url,
  uploadUrl: jmapApi.uploadUrl,
  downloadUrl: jmapApi.downloadUrl,
  webSocketUrl: webSocketApi.url,
  authUrl: userPool.authUrl,
  userPoolId: userPool.pool.userPoolId,
  ...userPool.clientIds,
  region: stack.region,
  directoryTableName: storage.directoryTable.tableName,
  mailTableName: storage.mailTable.tableName,
  mailBucketName: storage.mailBucket.bucketName,
  inboundTopicArn: inboundMail.topic.topicArn,
  inboundQueueUrl: inboundMail.inboundQueue.queue.queueUrl,
  inboundDeadLetterQueueUrl: inboundMail.inboundQueue.deadLetters.queueUrl,
  receiptRuleSetName: inboundMail.ruleSetName,
  deliverFunctionName: inboundMail.deliver.functionName,
  configurationSetName: outboundMail.configurationSet.configurationSetName,
  mailEventsTopicArn: outboundMail.eventsTopic.topicArn,
  mailEventsQueueUrl: outboundMail.eventsQueue.queue.queueUrl,
  submitQueueUrl: outboundMail.submitQueue.queue.queueUrl,
  supportDiagRoleArn: supportRoles.roles.DIAG.roleArn,
  supportConfigReadRoleArn: supportRoles.roles.CONFIG_READ.roleArn,
  sendingTableName: storage.sendingTable.tableName,
  ...Object.fromEntries(
    headlessClients.flatMap(({ name }) => [`${name}ClientId`, `${name}ClientSecret`].map((output) => [output, sharedValue(stack, output)])),
  ),
});

/**
 * The services of mail, the console, the URLs of all APIs and the outputs of the deployment. Its data is in the stack
 * `DataStack`, and the services of the admin API are in `AdminStack`.
 */
export class PostriderStack extends DeploymentStack {
  constructor(scope: Construct, id: string, { context, code }: PostriderStackProps) {
    super(scope, id, { deployment: context.stackName, description: `Postrider: mail for ${context.domain}` });
    const names = context.hostedZoneId ? hostNames(context) : undefined;
    const concurrency = backgroundConcurrency(context.lambdaConcurrency);
    const storage = importedStorage(this, 'Storage', { hasStreams: true });
    const { publicUrls } = context;
    const console = new Site(this, 'Console', { name: 'console', title: 'admin console', publicUrl: publicUrls.console, hostName: names?.console });
    const webmail = context.webmail
      ? new Site(this, 'Webmail', { name: 'webmail', title: 'web mail', publicUrl: publicUrls.webmail, hostName: names?.webmail })
      : undefined;
    const consoleOrigins = [...new Set([console.url, ...context.consoleOrigins])];
    const userPool = new HostedSignIn(this, 'UserPool', { context, consoleOrigins, webmailOrigin: webmail?.url });
    recordDeployedClients(this, 'DeployedClients', sharedValue(this, 'deployedClientsHookArn'), storage.directoryTable, Object.values(userPool.clientIds));
    const topicKey = context.encryptTopics ? new TopicKey(this, 'TopicKey') : undefined;
    const outboundMail = new OutboundMail(this, 'OutboundMail', { storage, topicKey, concurrency, code });
    const inboundMail = new InboundMail(this, 'InboundMail', { context, storage, outboundMail, topicKey, concurrency, code });
    const accountRemoval = new AccountRemoval(this, 'AccountRemoval', { storage, userPool, concurrency, code });
    const mailCleanup = new MailCleanup(this, 'MailCleanup', { storage, concurrency, code });
    const supportRoles = new SupportRoles(this, 'Support', {
      principals: context.supportPrincipals,
      trail: context.supportTrail,
      storage,
      userPool,
      concurrency,
      code,
    });
    const webSocketApi = new WebSocketApi(this, 'WebSocketApi', { context, hostName: names?.webSocket, storage, userPool, code });
    const jmapApi = new JmapApi(this, 'JmapApi', {
      context,
      hostName: names?.jmap,
      webSocketUrl: webSocketApi.url,
      storage,
      mailCleanup,
      outboundMail,
      inboundMail,
      userPool,
      concurrency,
      code,
    });
    inboundMail.setJmapUrl(jmapApi.url);
    const push = new Push(this, 'Push', { context, storage, webSocketApi, jmapApi, concurrency, code });
    new Indexer(this, 'Indexer', { storage, mailCleanup, failedRecords: push.failedRecords, code });
    const adminApi = new AdminEndpoint(this, 'AdminApi', { context, hostName: names?.admin, consoleOrigins });
    const services = { console, webmail, userPool, outboundMail, inboundMail, accountRemoval, mailCleanup, supportRoles, webSocketApi, jmapApi, adminApi };
    console.addServer(code, consoleSettings(context, services));
    webmail?.addServer(code, webmailSettings(services));
    webSocketApi.addFrameHandler(jmapApi.jmap);
    const { hostedZoneId, domain } = context;
    if (names && hostedZoneId) new DomainNames(this, 'DomainNames', { hostedZoneId, domain, apis: apisOfHosts(names, services) });
    const resources = monitoredResources(this, inboundMail.topic);
    const alarms = new AlarmTopic(this, 'Alarms', { email: context.alarmEmail, topicKey });
    const hosts = Object.values(names ?? {}).filter((name) => name !== undefined);
    new Watch(this, 'Watch', { context, storage, userPool, outboundMail, alarms, topicKey, consoleUrl: console.url, resources, hostNames: hosts, code });
    new SharedValues(this, 'Shared', sharedValues(context, services, resources, queueArns(this)));
    const outputs = deploymentOutputs(this, context, storage, services);
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
