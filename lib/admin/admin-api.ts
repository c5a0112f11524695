import { CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { CorsHttpMethod, HttpMethod, type IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { services, type ServiceName } from '../../contract/admin/index.ts';
import { accountPartitions, directoryPartitions, mailPartitions, sendingPartitions } from '../../contract/deployment/keys.ts';
import type { Service } from '../../contract/rpc/rpc.ts';
import { recordOf } from '../../contract/values/typed-entries.ts';
import { accountQuota, sendLimits, type DeploymentContext, type QuotaContext, type SendLimitContext } from '../deployment-context.ts';
import { addDefaultRoute, addRoute, HttpEndpoint } from '../endpoints/http-endpoint.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';
import { serviceNames, type LambdaCode } from '../lambda/lambda-entries.ts';
import { customResourceTimeout, LambdaFunction, type LambdaEnvironment } from '../lambda/lambda-function.ts';
import { grantEnqueueCleanup } from '../mail/mail-cleanup.ts';
import { grantSubmit } from '../mail/outbound-mail.ts';
import {
  grantInvite,
  grantManageDns,
  grantManageDomains,
  grantManageSenderAddresses,
  grantReadSendingStatus,
  signInMailSender,
} from '../mail/sending-identities.ts';
import type { ImportedUserPool } from '../sign-in/imported-user-pool.ts';
import { allOfAccounts, allowAllItems, allowAuditEntries, allowItems, each, ofAccounts, readActions, writeActions } from '../state/allow-items.ts';
import { allowObjects } from '../state/allow-objects.ts';
import type { Storage } from '../state/imported-storage.ts';
import { allowDirectoryWrites, writesDirectory } from './directory-writes.ts';
import { allowWritingIdentities } from './identity-sync.ts';
import { grantMoveDeadLetters, monitor, type QueueArns } from './monitoring.ts';
import { grantManageSupportAccess, supportEnvironment, type SupportRoleArns } from './support-roles.ts';

export type AdminEndpointProps = {
  readonly context: Pick<DeploymentContext, 'publicUrls'>;
  /** Web origins that may call the API: the console's. */
  readonly consoleOrigins: readonly string[];
  /** Host name of the custom domain; undefined without one. */
  readonly hostName: string | undefined;
};

export type AdminApiProps = {
  readonly context: QuotaContext &
    SendLimitContext &
    Pick<
      DeploymentContext,
      | 'domain'
      | 'adminEmail'
      | 'dnsZoneIds'
      | 'alarmEmail'
      | 'supportPrincipals'
      | 'deletedMailRetentionDays'
      | 'mfa'
      | 'signInMailFrom'
      | 'recordSubjects'
      | 'forwardOutside'
    >;
  /** The HTTP API of an {@link AdminEndpoint}. */
  readonly api: IHttpApi;
  /** The HTTP API of the console, which calls the services at its own origin. */
  readonly consoleApi: IHttpApi;
  /** Host and port at which mail clients reach JMAP over https, as `host:port`. */
  readonly jmapServer: string;
  /** Base URLs for clients, without a slash at the end. */
  readonly jmapUrl: string;
  readonly consoleUrl: string;
  readonly webmailUrl: string | undefined;
  readonly storage: Storage;
  readonly userPool: ImportedUserPool;
  /** The queue of received mail. */
  readonly inboundQueue: IQueue;
  /** The queue of parts of submissions. */
  readonly submitQueue: IQueue;
  /** The queue of deleted accounts. */
  readonly removalQueue: IQueue;
  /** The queue of the mail-cleanup Lambda. */
  readonly cleanupQueue: IQueue;
  readonly supportRoles: SupportRoleArns;
  /** `MonitoredResources` of contract/deployment/monitored-resources.ts, as JSON. */
  readonly monitoredResources: string;
  readonly queueArns: QueueArns;
  /** The headless clients, which may be members of an account like users. */
  readonly headlessClients: readonly { readonly name: string; readonly clientId: string }[];
  readonly code: LambdaCode;
};

/** Whether a service has methods that write the audit log. */
const hasChanges = ({ methods }: Service): boolean => Object.values(methods).some(({ changes }) => changes);

/**
 * The HTTP API of the admin API, without its routes. `AdminApi` adds the routes in another stack, so that neither stack
 * has too many resources. The API keeps its URL when the routes change.
 */
export class AdminEndpoint extends Construct {
  readonly endpoint: HttpEndpoint;
  /** Base URL for clients, without a slash at the end. */
  readonly url: string;

  constructor(scope: Construct, id: string, { context, hostName, consoleOrigins }: AdminEndpointProps) {
    super(scope, id);
    this.endpoint = new HttpEndpoint(this, 'Endpoint', {
      name: 'admin',
      description: 'Admin API: POST /<service>/<Method>',
      throttle: { rate: 50, burst: 100 },
      cors: {
        allowOrigins: [...consoleOrigins],
        allowMethods: [CorsHttpMethod.POST, CorsHttpMethod.OPTIONS],
        allowHeaders: ['authorization', 'content-type'],
        exposeHeaders: ['x-correlation-id', 'www-authenticate', 'retry-after'],
        maxAge: Duration.hours(2),
      },
    });
    this.url = context.publicUrls.adminApi ?? (hostName ? `https://${hostName}` : this.endpoint.api.apiEndpoint);
  }
}

/**
 * The services of the admin API, `POST /<service>/<Method>`: one Lambda for each service, with a route of the admin API and
 * one of the console's API. It also creates the first admin.
 */
export class AdminApi extends Construct {
  /** The custom resource that creates the first admin; undefined without `adminEmail`. */
  readonly firstAdmin: CustomResource | undefined;

  constructor(scope: Construct, id: string, props: AdminApiProps) {
    super(scope, id);
    const { context, api, storage, userPool } = props;
    const lambdas = this.addServices(props);
    addDefaultRoute(this, api, lambdas.status);
    this.allowServiceItems(lambdas, storage);
    this.allowCreatingAccounts(lambdas.accounts, storage);
    this.allowRestoringMail(lambdas.accounts, storage);
    grantEnqueueCleanup(lambdas.accounts, props.cleanupQueue);
    props.inboundQueue.grant(lambdas.aliases, 'sqs:SendMessage');
    props.removalQueue.grant(lambdas.accounts, 'sqs:SendMessage');
    userPool.grantManageUsers(lambdas.users);
    userPool.grantBlockUsers(lambdas.users);
    userPool.grantResetCredentials(lambdas.users);
    userPool.grantChangeAddresses(lambdas.users);
    grantInvite(this, lambdas.users, context);
    grantManageDomains(this, lambdas.domains);
    grantSubmit(lambdas.domains, storage, props.submitQueue);
    grantManageDns(Stack.of(this), lambdas.domains, context.dnsZoneIds);
    grantManageSenderAddresses(this, lambdas['email-identities']);
    grantReadSendingStatus(lambdas.setup);
    grantManageSupportAccess(lambdas.support, props.supportRoles);
    // These actions have no resources.
    allowActions(lambdas.status, { actions: ['ses:GetAccount', 'lambda:GetAccountSettings', 'cloudwatch:GetMetricData'], resources: ['*'] });
    monitor(Stack.of(this), props.monitoredResources, lambdas);
    grantMoveDeadLetters(lambdas.monitoring, props.queueArns);
    this.firstAdmin = context.adminEmail === undefined ? undefined : this.addFirstAdmin(props, context.adminEmail);
  }

  /** Allows services the partitions that only some of them need. */
  private allowServiceItems(lambdas: Record<ServiceName, LambdaFunction>, { directoryTable, mailTable, sendingTable }: Storage): void {
    const directory = directoryPartitions;
    allowItems(lambdas['email-identities'], directoryTable, writeActions, directory.emailIdentities, directory.emailIdentityPages);
    allowItems(lambdas['change-requests'], directoryTable, writeActions, each(directory.changeRequests));
    allowItems(lambdas.setup, directoryTable, writeActions, directory.setup);
    allowItems(lambdas.support, directoryTable, writeActions, directory.supportCases, directory.supportAccess, each(directory.supportTiers));
    allowItems(lambdas.status, directoryTable, writeActions, directory.problemSubscribers);
    for (const name of ['accounts', 'aliases', 'domains'] as const) allowWritingIdentities(lambdas[name], mailTable);
    for (const name of ['mail-feedback', 'setup', 'suppression'] as const) allowAllItems(lambdas[name], sendingTable, readActions);
    allowItems(lambdas.suppression, sendingTable, ['PutItem'], sendingPartitions.suppression);
    // These services clear the suppression of addresses.
    for (const name of ['accounts', 'aliases'] as const) allowItems(lambdas[name], sendingTable, ['GetItem', 'PutItem'], sendingPartitions.suppression);
    allowItems(lambdas.aliases, sendingTable, ['BatchGetItem'], sendingPartitions.suppression);
    // What became of received messages.
    const { log, email, row, mailbox, destroyed } = accountPartitions;
    allowItems(lambdas['mail-feedback'], mailTable, ['BatchGetItem'], each(mailPartitions.bounces), ...ofAccounts(log, email, row, mailbox, destroyed));
  }

  /** Allows creating accounts with their initial records, and reading and setting their quotas, also after a lost response. */
  private allowCreatingAccounts(accounts: LambdaFunction, { mailTable }: Storage): void {
    const { log, mailbox, identity, quota } = accountPartitions;
    allowItems(accounts, mailTable, ['GetItem', 'BatchGetItem', 'UpdateItem'], ...ofAccounts(log));
    allowItems(accounts, mailTable, ['PutItem'], ...ofAccounts(log, mailbox, identity, quota));
    allowItems(accounts, mailTable, ['DeleteItem'], ...ofAccounts(quota));
  }

  /** Allows restoring and purging destroyed Emails: reading accounts, and writing Emails, references, Threads and Mailboxes. */
  private allowRestoringMail(accounts: LambdaFunction, { mailTable, mailBucket }: Storage): void {
    const { log, row, reference, mailbox, email, destroyed } = accountPartitions;
    allowItems(accounts, mailTable, readActions, allOfAccounts);
    allowItems(accounts, mailTable, ['PutItem'], ...ofAccounts(log, row, reference, mailbox));
    allowItems(accounts, mailTable, ['UpdateItem'], ...ofAccounts(log, email, reference));
    allowItems(accounts, mailTable, ['DeleteItem'], ...ofAccounts(destroyed));
    allowObjects(accounts, mailBucket, ['GetObject'], 'snapshots');
  }

  private addServices(props: AdminApiProps): Record<ServiceName, LambdaFunction> {
    const { context, jmapServer, jmapUrl, consoleUrl, storage, userPool, supportRoles, headlessClients, code } = props;
    const environment: LambdaEnvironment = { ...userPool.verification, directoryTable: storage.directoryTable.tableName };
    const sendingTable = storage.sendingTable.tableName;
    const deletedMailRetentionDays = String(context.deletedMailRetentionDays);
    const ofService: { readonly [Name in ServiceName]?: LambdaEnvironment } = {
      domains: {
        mailDomain: context.domain,
        mailTable: storage.mailTable.tableName,
        deployment: deploymentName(this),
        jmapServer,
        sendingTable,
        mailBucket: storage.mailBucket.bucketName,
        submitQueueUrl: props.submitQueue.queueUrl,
      },
      'email-identities': { deployment: deploymentName(this) },
      'mail-feedback': { sendingTable, mailTable: storage.mailTable.tableName, recordSubjects: String(context.recordSubjects) },
      suppression: { sendingTable },
      setup: { mailDomain: context.domain, sendingTable, cognitoSendsBySes: context.signInMailFrom && 'true' },
      status: { hasAlarmEmail: context.alarmEmail && 'true' },
      support: supportEnvironment(Stack.of(this), supportRoles, context.supportPrincipals),
      aliases: {
        mailTable: storage.mailTable.tableName,
        sendingTable,
        inboundQueueUrl: props.inboundQueue.queueUrl,
        forwardOutside: String(context.forwardOutside),
      },
      users: {
        deletedMailRetentionDays,
        jmapUrl,
        consoleUrl,
        webmailUrl: props.webmailUrl,
        mailDomain: context.domain,
        mfa: context.mfa,
        signInMailFrom: signInMailSender(context),
      },
      accounts: {
        mailTable: storage.mailTable.tableName,
        mailBucket: storage.mailBucket.bucketName,
        deletedMailRetentionDays,
        sendingTable,
        headlessClients: headlessClients.map(({ name, clientId }) => `${clientId}=${name}`).join(' ') || undefined,
        accountRemovalQueueUrl: props.removalQueue.queueUrl,
        accountQuota: accountQuota(context),
        sendLimits: sendLimits(context),
      },
    };
    const atConsole = new Construct(this, 'AtConsole');
    const add = (name: ServiceName): LambdaFunction => {
      const service = new LambdaFunction(this, name, {
        code,
        name,
        description: `Admin API: ${services[name].path}`,
        environment: { ...environment, ...ofService[name] },
      });
      const path = `${services[name].path}/{proxy+}`;
      addRoute(this, props.api, HttpMethod.POST, path, service);
      addRoute(atConsole, props.consoleApi, HttpMethod.POST, path, service);
      allowAllItems(service, storage.directoryTable, readActions);
      if (writesDirectory(name)) allowDirectoryWrites(service, storage.directoryTable, name);
      else if (hasChanges(services[name])) allowAuditEntries(service, storage.directoryTable);
      return service;
    };
    return recordOf(serviceNames, add);
  }

  /**
   * Creates the first admin, whom Cognito invites by e-mail. A later deployment with the same address changes nothing.
   */
  private addFirstAdmin({ storage, userPool, code, jmapUrl, consoleUrl }: AdminApiProps, email: string): CustomResource {
    const firstAdmin = new LambdaFunction(this, 'FirstAdmin', {
      code,
      name: 'first-admin',
      description: 'Creates the first admin when the stack is deployed',
      environment: { directoryTable: storage.directoryTable.tableName, userPoolId: userPool.pool.userPoolId, jmapUrl, consoleUrl },
      timeout: customResourceTimeout,
    });
    allowAllItems(firstAdmin, storage.directoryTable, readActions);
    allowDirectoryWrites(firstAdmin, storage.directoryTable, 'first-admin');
    userPool.grantManageUsers(firstAdmin);
    return new CustomResource(this, 'FirstAdminUser', {
      resourceType: 'Custom::FirstAdmin',
      serviceToken: firstAdmin.functionArn,
      serviceTimeout: Duration.minutes(2),
      properties: { email },
    });
  }
}
