import { Aws, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccountRecovery, CfnUserPoolClient, FeaturePlan, LambdaVersion, ManagedLoginVersion, Mfa, ResourceServerScope, UserPool as CognitoUserPool,
  UserPoolOperation, UserPoolResourceServer, type CfnUserPoolClientProps, type UserPoolDomain,
} from 'aws-cdk-lib/aws-cognito';
import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { clientSettings, cliCallbackUrls, consoleCallbackPath, machineClientSettings, ownClientRefreshDays, personClientSettings, resourceServers } from '../contract/oauth.ts';
import type { DeploymentContext } from './deployment-context.ts';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from './lambda-function.ts';
import type { Storage } from './storage.ts';

export type UserPoolProps = {
  readonly context: Pick<DeploymentContext, 'removalPolicy' | 'consoleOrigins' | 'authDomainPrefix' | 'publicUrls'>;
  readonly storage: Storage;
  readonly code: LambdaCode;
};

/** What a client of the pool may be; everything else is the same for all. */
type ClientKind =
  | { readonly flow: 'code'; readonly callbackUrls: readonly string[]; readonly refreshDays: number }
  | { readonly flow: 'client_credentials'; readonly scopes: readonly string[] };

const flowProperties = (kind: ClientKind): Partial<CfnUserPoolClientProps> => kind.flow === 'code'
  ? {
      ...personClientSettings,
      allowedOAuthFlows: [...personClientSettings.allowedOAuthFlows],
      allowedOAuthScopes: [...personClientSettings.allowedOAuthScopes],
      explicitAuthFlows: [...personClientSettings.explicitAuthFlows],
      callbackUrLs: [...kind.callbackUrls],
      logoutUrLs: [...kind.callbackUrls],
      refreshTokenValidity: kind.refreshDays,
    }
  : {
      ...machineClientSettings,
      allowedOAuthFlows: [...machineClientSettings.allowedOAuthFlows],
      allowedOAuthScopes: [...kind.scopes],
      explicitAuthFlows: [...machineClientSettings.explicitAuthFlows],
    };

/** Who people and machines are: the Cognito user pool, its hosted sign-in, the resource servers, the trigger that fills tokens, and the clients for people. */
export class UserPool extends Construct {
  readonly pool: CognitoUserPool;
  /** Where clients find the hosted sign-in, without a slash at the end. */
  readonly authUrl: string;
  readonly consoleClient: CfnUserPoolClient;
  readonly cliClient: CfnUserPoolClient;
  /** What a Lambda needs to verify access tokens. */
  readonly verification: LambdaEnvironment;
  private readonly servers: UserPoolResourceServer[];

  constructor(scope: Construct, id: string, { context, storage, code }: UserPoolProps) {
    super(scope, id);
    this.pool = this.makePool(context.removalPolicy === 'retain');
    this.addPreTokenTrigger(storage, code);
    this.servers = this.makeResourceServers();
    const domain = this.makeDomain(context.authDomainPrefix);
    this.authUrl = context.publicUrls.auth ?? domain.baseUrl();
    this.consoleClient = this.addClient('Console', { flow: 'code', refreshDays: 1, callbackUrls: context.consoleOrigins.map((origin) => `${origin}${consoleCallbackPath}`) });
    this.cliClient = this.addClient('Cli', { flow: 'code', refreshDays: ownClientRefreshDays, callbackUrls: cliCallbackUrls });
    this.verification = { userPoolId: this.pool.userPoolId, identityProviderUrl: context.publicUrls.identityProvider };
  }

  /** A client of the pool, every flag said. */
  addClient(name: string, kind: ClientKind): CfnUserPoolClient {
    const client = new CfnUserPoolClient(this, `${name}Client`, {
      userPoolId: this.pool.userPoolId,
      clientName: name,
      ...clientSettings,
      supportedIdentityProviders: [...clientSettings.supportedIdentityProviders],
      ...flowProperties(kind),
    });
    client.node.addDependency(...this.servers);
    return client;
  }

  /** Makes, looks up and removes the users of the pool; no password and no token can be had this way. */
  grantManageUsers(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:AdminCreateUser', 'cognito-idp:AdminGetUser', 'cognito-idp:AdminDeleteUser');
  }

  /** Blocking sign-in, taking that back, and ending sessions. */
  grantBlockUsers(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:AdminDisableUser', 'cognito-idp:AdminEnableUser', 'cognito-idp:AdminUserGlobalSignOut');
  }

  /** Reads a client with its secret. */
  grantDescribeClients(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:DescribeUserPoolClient');
  }

  /** Making clients of the pool, finding those that were made, and removing them. */
  grantRegisterClients(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:CreateUserPoolClient', 'cognito-idp:ListUserPoolClients', 'cognito-idp:DeleteUserPoolClient');
  }

  /** Finding clients of the pool and removing them. */
  grantSweepClients(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:ListUserPoolClients', 'cognito-idp:DeleteUserPoolClient');
  }

  private grant(grantee: IGrantable, ...actions: string[]): void {
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [this.pool.userPoolArn] }));
  }

  private makePool(keep: boolean): CognitoUserPool {
    return new CognitoUserPool(this, 'Pool', {
      userPoolName: Stack.of(this).stackName,
      featurePlan: FeaturePlan.ESSENTIALS,
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      autoVerify: { email: true },
      keepOriginal: { email: true },
      standardAttributes: { email: { required: true, mutable: true } },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 12, requireLowercase: true, requireUppercase: true, requireDigits: true, requireSymbols: true,
        tempPasswordValidity: Duration.days(7),
      },
      deletionProtection: keep,
      removalPolicy: keep ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }

  private addPreTokenTrigger(storage: Storage, code: LambdaCode): void {
    const preToken = new LambdaFunction(this, 'PreToken', {
      code,
      name: 'pre-token',
      description: 'Puts the user id and the scopes of a person into their access token',
      environment: { directoryTable: storage.directoryTable.tableName },
      timeout: Duration.seconds(5),
    });
    storage.grantReadDirectory(preToken);
    this.pool.addTrigger(UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG, preToken, LambdaVersion.V2_0);
  }

  private makeResourceServers(): UserPoolResourceServer[] {
    return Object.values(resourceServers).map(({ identifier, name, permissions }) => this.pool.addResourceServer(identifier, {
      identifier,
      userPoolResourceServerName: name,
      scopes: Object.entries(permissions).map(([scopeName, scopeDescription]) => new ResourceServerScope({ scopeName, scopeDescription })),
    }));
  }

  /** The name must be free in the whole region: part of the stack's id makes it so, and stays the same for the life of the stack. */
  private makeDomain(chosen: string | undefined): UserPoolDomain {
    const ofStackId = Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))));
    return this.pool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: chosen ?? `postrider-${ofStackId}` },
      managedLoginVersion: ManagedLoginVersion.CLASSIC_HOSTED_UI,
    });
  }
}
