import { CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { CorsHttpMethod, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { services, type ServiceName } from '../contract/admin/index.ts';
import type { AccountRemoval } from './account-removal.ts';
import type { DeploymentContext } from './deployment-context.ts';
import { HttpEndpoint } from './http-endpoint.ts';
import { serviceNames, type LambdaCode } from './lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from './lambda-function.ts';
import type { OutboundMail } from './outbound-mail.ts';
import { RandomSecret } from './random-secret.ts';
import { grantManageDns, grantManageSenderAddresses, grantSeeSending } from './sending-identities.ts';
import type { Storage } from './storage.ts';
import type { SupportRoles } from './support-roles.ts';
import type { UserPool } from './user-pool.ts';

export type AdminApiProps = {
  readonly context: Pick<DeploymentContext, 'domain' | 'adminEmail' | 'consoleOrigins' | 'publicUrls'>;
  /** Host name of the custom domain, when there is one. */
  readonly hostName: string | undefined;
  /** Where mail clients reach JMAP over https, as `host:port`. */
  readonly jmapServer: string;
  readonly storage: Storage;
  readonly userPool: UserPool;
  readonly outboundMail: OutboundMail;
  readonly accountRemoval: AccountRemoval;
  readonly supportRoles: SupportRoles;
  /** Machines that may be members of an account, as people may. */
  readonly headlessClientIds: readonly string[];
  readonly code: LambdaCode;
};

/** Services that change the directory; the others only ask it who is calling, and keep the audit log. */
const writesDirectory: readonly ServiceName[] = ['users', 'accounts', 'aliases', 'domains'];

/** `POST /<service>/<Method>` for operators: an HTTP API with a Lambda for each service, and the first admin. */
export class AdminApi extends Construct {
  readonly endpoint: HttpEndpoint;
  /** Where clients reach it, without a slash at the end. */
  readonly url: string;
  /** Looks at the metrics and logs of the whole deployment. */
  readonly monitoring: LambdaFunction;

  constructor(scope: Construct, id: string, props: AdminApiProps) {
    super(scope, id);
    const { context, hostName, storage, userPool, outboundMail } = props;
    this.endpoint = new HttpEndpoint(this, 'Endpoint', {
      name: 'admin',
      description: 'Admin API: POST /<service>/<Method>',
      throttle: { rate: 50, burst: 100 },
      cors: {
        allowOrigins: [...context.consoleOrigins],
        allowMethods: [CorsHttpMethod.POST, CorsHttpMethod.OPTIONS],
        allowHeaders: ['authorization', 'content-type'],
        exposeHeaders: ['x-correlation-id', 'www-authenticate'],
        maxAge: Duration.hours(2),
      },
    });
    this.url = context.publicUrls.adminApi ?? (hostName ? `https://${hostName}` : this.endpoint.api.apiEndpoint);
    const lambdas = this.addServices(props);
    this.endpoint.everythingElse(lambdas.status);
    this.monitoring = lambdas.monitoring;
    storage.grantMakeAccounts(lambdas.accounts);
    props.accountRemoval.grantAdd(lambdas.accounts);
    userPool.grantManageUsers(lambdas.users);
    userPool.grantBlockUsers(lambdas.users);
    outboundMail.grantManageDomains(lambdas.domains);
    outboundMail.grantSubmit(lambdas.domains);
    grantManageDns(Stack.of(this), lambdas.domains);
    grantManageSenderAddresses(Stack.of(this), lambdas['email-identities']);
    storage.grantKeepDirectory(lambdas['email-identities'], 'email-identity', 'email-identity-page');
    storage.grantKeepDirectory(lambdas['change-requests'], 'change-request#*');
    grantSeeSending(lambdas.setup);
    storage.grantKeepDirectory(lambdas.setup, 'setup');
    storage.grantReadSending(lambdas['mail-feedback']);
    storage.grantReadSending(lambdas.suppression);
    storage.grantPutSending(lambdas.suppression, 'suppression');
    storage.grantKeepDirectory(lambdas.support, 'support-case', 'support-access', 'support-tier#*');
    props.supportRoles.grantKeepAccess(lambdas.support);
    // None of the actions knows resources.
    lambdas.status.addToRolePolicy(new PolicyStatement({ actions: ['ses:GetAccount', 'lambda:GetAccountSettings', 'cloudwatch:GetMetricData'], resources: ['*'] }));
    if (context.adminEmail) this.addFirstAdmin(props, context.adminEmail);
  }

  private addServices({ context, jmapServer, storage, userPool, outboundMail, accountRemoval, supportRoles, headlessClientIds, code }: AdminApiProps): Record<ServiceName, LambdaFunction> {
    const pageTokenSecret = new RandomSecret(this, 'PageTokenSecret', 'Signs page tokens of the admin API');
    const environment: LambdaEnvironment = {
      ...userPool.verification,
      directoryTable: storage.directoryTable.tableName,
      pageTokenSecretArn: pageTokenSecret.secretArn,
    };
    const sendingTable = storage.sendingTable.tableName;
    const more: { readonly [Name in ServiceName]?: LambdaEnvironment } = {
      domains: { mailDomain: context.domain, jmapServer, sendingTable, submitQueueUrl: outboundMail.waiting.queue.queueUrl },
      'mail-feedback': { sendingTable },
      suppression: { sendingTable },
      setup: { mailDomain: context.domain },
      support: supportRoles.environment,
      accounts: {
        mailTable: storage.mailTable.tableName,
        headlessClientIds: headlessClientIds.join(' ') || undefined,
        accountRemovalQueueUrl: accountRemoval.waiting.queue.queueUrl,
      },
    };
    const add = (name: ServiceName): LambdaFunction => {
      const service = new LambdaFunction(this, name, {
        code,
        name,
        description: `Admin API: ${services[name].path}`,
        environment: { ...environment, ...more[name] },
      });
      this.endpoint.route(HttpMethod.POST, `${services[name].path}/{proxy+}`, service);
      if (writesDirectory.includes(name)) storage.grantReadWriteDirectory(service);
      else {
        storage.grantReadDirectory(service);
        storage.grantKeepAudit(service);
      }
      pageTokenSecret.grantReadValue(service);
      return service;
    };
    return Object.fromEntries(serviceNames.map((name) => [name, add(name)])) as Record<ServiceName, LambdaFunction>;
  }

  /** Invited by Cognito's mail when the stack is made; another deploy with the same address does nothing. */
  private addFirstAdmin({ storage, userPool, code }: AdminApiProps, email: string): void {
    const firstAdmin = new LambdaFunction(this, 'FirstAdmin', {
      code,
      name: 'first-admin',
      description: 'Makes the first admin when the stack is deployed',
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
