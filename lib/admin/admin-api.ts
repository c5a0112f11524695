import { CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { CorsHttpMethod, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { services, type ServiceName } from '../../contract/admin/index.ts';
import type { AccountRemoval } from './account-removal.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import { accountQuota, sendLimits, type DeploymentContext, type QuotaContext, type SendLimitContext } from '../deployment-context.ts';
import { HttpEndpoint } from '../endpoints/http-endpoint.ts';
import { serviceNames, type LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from '../lambda/lambda-function.ts';
import type { OutboundMail } from '../mail/outbound-mail.ts';
import { grantManageDns, grantManageSenderAddresses, grantReadSendingStatus } from '../mail/sending-identities.ts';
import type { Storage } from '../state/storage.ts';
import type { StoredSecrets } from '../state/stored-secrets.ts';
import type { SupportRoles } from './support-roles.ts';
import type { UserPool } from '../sign-in/user-pool.ts';

export type AdminApiProps = {
  readonly context: QuotaContext & SendLimitContext & Pick<DeploymentContext, 'domain' | 'adminEmail' | 'publicUrls'>;
  /** Web origins that may call the API: those of the console. */
  readonly consoleOrigins: readonly string[];
  /** Host name of the custom domain, when there is one. */
  readonly hostName: string | undefined;
  /** Where mail clients reach JMAP over https, as `host:port`. */
  readonly jmapServer: string;
  readonly storage: Storage;
  readonly storedSecrets: StoredSecrets;
  readonly userPool: UserPool;
  readonly outboundMail: OutboundMail;
  readonly accountRemoval: AccountRemoval;
  readonly supportRoles: SupportRoles;
  /** Headless clients may be members of an account, as users may. */
  readonly headlessClientIds: readonly string[];
  readonly code: LambdaCode;
};

/** Services that change the directory. The others only read the caller from it and write the audit log. */
const servicesThatWriteDirectory: readonly ServiceName[] = ['users', 'accounts', 'aliases', 'domains'];

/**
 * The admin API, `POST /<service>/<Method>`: an HTTP API with one Lambda for each service. Also creates the first
 * admin.
 */
export class AdminApi extends Construct {
  readonly endpoint: HttpEndpoint;
  /** Base URL for clients, without a slash at the end. */
  readonly url: string;
  /** The Lambda that reads the metrics and logs of the whole deployment. */
  readonly monitoring: LambdaFunction;
  /** The Lambda that reads the metrics which health issues depend on. */
  readonly setup: LambdaFunction;

  constructor(scope: Construct, id: string, props: AdminApiProps) {
    super(scope, id);
    const { context, hostName, consoleOrigins, storage, userPool, outboundMail } = props;
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
    const lambdas = this.addServices(props);
    this.endpoint.addDefaultRoute(lambdas.status);
    this.monitoring = lambdas.monitoring;
    this.setup = lambdas.setup;
    storage.grantManageAccounts(lambdas.accounts);
    storage.grantWriteIdentities(lambdas.aliases);
    storage.grantWriteIdentities(lambdas.domains);
    storage.grantClearSuppression(lambdas.accounts);
    storage.grantClearSuppression(lambdas.aliases);
    props.accountRemoval.grantEnqueue(lambdas.accounts);
    userPool.grantManageUsers(lambdas.users);
    userPool.grantBlockUsers(lambdas.users);
    outboundMail.grantManageDomains(lambdas.domains);
    outboundMail.grantSubmit(lambdas.domains);
    grantManageDns(Stack.of(this), lambdas.domains);
    grantManageSenderAddresses(Stack.of(this), lambdas['email-identities']);
    storage.grantWriteDirectory(lambdas['email-identities'], 'email-identity', 'email-identity-page');
    storage.grantWriteDirectory(lambdas['change-requests'], 'change-request#*');
    grantReadSendingStatus(lambdas.setup);
    storage.grantWriteDirectory(lambdas.setup, 'setup');
    storage.grantReadSending(lambdas['mail-feedback']);
    storage.grantReadSending(lambdas.setup);
    storage.grantReadSending(lambdas.suppression);
    storage.grantPutSending(lambdas.suppression, 'suppression');
    storage.grantWriteDirectory(lambdas.support, 'support-case', 'support-access', 'support-tier#*');
    props.supportRoles.grantManageAccess(lambdas.support);
    // These actions have no resources.
    allowActions(lambdas.status, {
      actions: ['ses:GetAccount', 'lambda:GetAccountSettings', 'cloudwatch:GetMetricData'], resources: ['*'],
    });
    if (context.adminEmail) this.addFirstAdmin(props, context.adminEmail);
  }

  private addServices(props: AdminApiProps): Record<ServiceName, LambdaFunction> {
    const { context, jmapServer, storage, storedSecrets, userPool, outboundMail, accountRemoval, supportRoles, headlessClientIds, code } = props;
    const environment: LambdaEnvironment = {
      ...userPool.verification,
      directoryTable: storage.directoryTable.tableName,
    };
    const sendingTable = storage.sendingTable.tableName;
    const ofService: { readonly [Name in ServiceName]?: LambdaEnvironment } = {
      domains: {
        mailDomain: context.domain,
        mailTable: storage.mailTable.tableName,
        deployment: Stack.of(this).stackName,
        jmapServer,
        sendingTable,
        mailBucket: storage.mailBucket.bucketName,
        submitQueueUrl: outboundMail.submitQueue.queue.queueUrl,
      },
      'mail-feedback': { sendingTable },
      suppression: { sendingTable },
      setup: { mailDomain: context.domain, sendingTable },
      support: supportRoles.environment,
      aliases: { mailTable: storage.mailTable.tableName, sendingTable },
      accounts: {
        mailTable: storage.mailTable.tableName,
        sendingTable,
        headlessClientIds: headlessClientIds.join(' ') || undefined,
        accountRemovalQueueUrl: accountRemoval.removalQueue.queue.queueUrl,
        accountQuota: accountQuota(context),
        sendLimits: sendLimits(context),
      },
    };
    const add = (name: ServiceName): LambdaFunction => {
      const service = new LambdaFunction(this, name, {
        code,
        name,
        description: `Admin API: ${services[name].path}`,
        environment: { ...environment, ...ofService[name] },
      });
      this.endpoint.addRoute(HttpMethod.POST, `${services[name].path}/{proxy+}`, service);
      if (servicesThatWriteDirectory.includes(name)) storage.grantReadWriteDirectory(service);
      else {
        storage.grantReadDirectory(service);
        storage.grantWriteAudit(service);
      }
      storedSecrets.provePageTokens(service);
      return service;
    };
    return Object.fromEntries(serviceNames.map((name) => [name, add(name)])) as Record<ServiceName, LambdaFunction>;
  }

  /**
   * Creates the first admin, whom Cognito invites by e-mail. A later deployment with the same address changes nothing.
   */
  private addFirstAdmin({ storage, userPool, code }: AdminApiProps, email: string): void {
    const firstAdmin = new LambdaFunction(this, 'FirstAdmin', {
      code,
      name: 'first-admin',
      description: 'Creates the first admin when the stack is deployed',
      environment: { directoryTable: storage.directoryTable.tableName, userPoolId: userPool.pool.userPoolId },
      timeout: Duration.minutes(1),
    });
    storage.grantReadWriteDirectory(firstAdmin);
    userPool.grantManageUsers(firstAdmin);
    new CustomResource(this, 'FirstAdminUser', {
      resourceType: 'Custom::FirstAdmin',
      serviceToken: firstAdmin.functionArn,
      serviceTimeout: Duration.minutes(2),
      properties: { email },
    });
  }
}
