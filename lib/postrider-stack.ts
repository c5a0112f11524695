import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { AccountRemoval } from './admin/account-removal.ts';
import { AdminApi } from './admin/admin-api.ts';
import { Alarms, LambdaErrors } from './admin/alarms.ts';
import { backgroundConcurrency } from './lambda/background-concurrency.ts';
import { ChangeRequestWorker } from './admin/change-request-worker.ts';
import { Console } from './admin/console.ts';
import type { DeploymentContext } from './deployment-context.ts';
import { DomainNames, hostNames, srvTarget } from './endpoints/domain-names.ts';
import { HeadlessClients } from './sign-in/headless-clients.ts';
import { InboundMail } from './mail/inbound-mail.ts';
import { IdentitySync } from './admin/identity-sync.ts';
import { Indexer } from './mail/indexer.ts';
import { JmapApi } from './jmap/jmap-api.ts';
import type { LambdaCode } from './lambda/lambda-entries.ts';
import { MailCleanup } from './mail/mail-cleanup.ts';
import { monitorStack } from './admin/monitoring.ts';
import { OutboundMail } from './mail/outbound-mail.ts';
import { Push } from './jmap/push.ts';
import { Storage } from './state/storage.ts';
import { StoredSecrets } from './state/stored-secrets.ts';
import { SupportRoles } from './admin/support-roles.ts';
import { UserPool } from './sign-in/user-pool.ts';
import { WebSocketApi } from './jmap/web-socket-api.ts';

export type PostriderStackProps = { readonly context: DeploymentContext; readonly code: LambdaCode };

/** The whole mail service. It names no AWS account and no region, so that `cdk synth` needs no credentials. */
export class PostriderStack extends Stack {
  constructor(scope: Construct, id: string, { context, code }: PostriderStackProps) {
    super(scope, id, { description: `Postrider: mail for ${context.domain}` });
    const names = context.hostedZoneId ? hostNames(context) : undefined;
    const concurrency = backgroundConcurrency(context.lambdaConcurrency);
    const storage = new Storage(this, 'Storage', { removalPolicy: context.removalPolicy, code });
    const storedSecrets = new StoredSecrets(this, 'StoredSecrets', { storage, code });
    const console = new Console(this, 'Console', { context, hostName: names?.console });
    const consoleOrigins = [...new Set([console.url, ...context.consoleOrigins])];
    const userPool = new UserPool(this, 'UserPool', { context, consoleOrigins, storage, code });
    const { provisioned } = new HeadlessClients(this, 'HeadlessClients', { clients: context.headlessClients, userPool, code });
    const outboundMail = new OutboundMail(this, 'OutboundMail', { storage, concurrency, code });
    const inboundMail = new InboundMail(this, 'InboundMail', { context, storage, outboundMail, concurrency, code });
    const accountRemoval = new AccountRemoval(this, 'AccountRemoval', { storage, concurrency, code });
    const mailCleanup = new MailCleanup(this, 'MailCleanup', { storage, concurrency, code });
    const headlessClientIds = provisioned.map(({ clientId }) => clientId);
    new IdentitySync(this, 'IdentitySync', { storage, code });
    new ChangeRequestWorker(this, 'ChangeRequestWorker', { storage, code });
    const supportRoles = new SupportRoles(this, 'Support', { principals: context.supportPrincipals, storage, concurrency, code });
    const webSocketApi = new WebSocketApi(this, 'WebSocketApi', { context, hostName: names?.webSocket, storage, userPool, code });
    const jmapApi = new JmapApi(this, 'JmapApi', {
      context, hostName: names?.jmap, webSocketUrl: webSocketApi.url, storage, mailCleanup, outboundMail, storedSecrets, userPool, code,
    });
    const push = new Push(this, 'Push');
    new Indexer(this, 'Indexer', { storage, mailCleanup, failedRecords: push.failedRecords, code });
    push.addNotify({ storage, webSocketApi, eventSourceWaits: jmapApi.eventSourceWaits, concurrency, code });
    push.grantEnqueue(jmapApi.jmap, context);
    push.addDelivery({ context, storage, webSocketApi, storedSecrets, concurrency, code });
    const jmapServer = srvTarget(jmapApi.url, hostNames(context).jmap);
    const adminApi = new AdminApi(this, 'AdminApi', {
      context, hostName: names?.admin, consoleOrigins, jmapServer, storage, storedSecrets, userPool, outboundMail, accountRemoval,
      supportRoles, headlessClientIds, code,
    });
    console.addServer({ context, adminApiUrl: adminApi.url, jmapUrl: jmapApi.url, userPool, code });
    webSocketApi.addFrameHandler(jmapApi.jmap);
    if (names && context.hostedZoneId) {
      new DomainNames(this, 'DomainNames', {
        hostedZoneId: context.hostedZoneId,
        domain: context.domain,
        apis: [
          { hostName: names.admin, api: adminApi.endpoint.api, stage: adminApi.endpoint.stage },
          { hostName: names.console, api: console.endpoint.api, stage: console.endpoint.stage },
          { hostName: names.jmap, api: jmapApi.endpoint.api, stage: jmapApi.endpoint.stage },
          { hostName: names.webSocket, api: webSocketApi.api, stage: webSocketApi.stage },
        ],
      });
    }
    monitorStack(this, adminApi);
    supportRoles.grantRead(this, { storage, userPool });
    new LambdaErrors(this, 'LambdaErrors');
    if (context.alarmEmail) new Alarms(this, 'Alarms', { email: context.alarmEmail });

    this.addOutputs({
      consoleUrl: console.url,
      adminApiUrl: adminApi.url,
      jmapUrl: jmapApi.url,
      webSocketUrl: webSocketApi.url,
      authUrl: userPool.authUrl,
      userPoolId: userPool.pool.userPoolId,
      consoleClientId: userPool.consoleClient.ref,
      cliClientId: userPool.cliClient.ref,
      region: this.region,
      directoryTableName: storage.directoryTable.tableName,
      mailTableName: storage.mailTable.tableName,
      mailBucketName: storage.mailBucket.bucketName,
      inboundTopicArn: inboundMail.topic.topicArn,
      inboundQueueUrl: inboundMail.inboundQueue.queue.queueUrl,
      inboundDeadLetterQueueUrl: inboundMail.inboundQueue.deadLetters.queueUrl,
      receiptRuleSetName: inboundMail.ruleSet.ref,
      deliverFunctionName: inboundMail.deliver.functionName,
      configurationSetName: outboundMail.configurationSet.configurationSetName,
      mailEventsTopicArn: outboundMail.eventsTopic.topicArn,
      mailEventsQueueUrl: outboundMail.eventsQueue.queue.queueUrl,
      submitQueueUrl: outboundMail.submitQueue.queue.queueUrl,
      supportDiagRoleArn: supportRoles.roles.DIAG.roleArn,
      supportConfigReadRoleArn: supportRoles.roles.CONFIG_READ.roleArn,
      sendingTableName: storage.sendingTable.tableName,
      ...Object.fromEntries(provisioned.flatMap(({ name, clientId, secretArn }) =>
        [[`${name}ClientId`, clientId], [`${name}ClientSecret`, secretArn]])),
    });
  }

  /** Adds an output for each name. Of a client's secret only the ARN is an output. */
  private addOutputs(outputs: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
