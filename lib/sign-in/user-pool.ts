import { Aws, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccountRecovery, CfnUserPoolClient, FeaturePlan, LambdaVersion, ManagedLoginVersion, Mfa, ResourceServerScope,
  UserPool as CognitoUserPool, UserPoolOperation, UserPoolResourceServer, type CfnUserPoolClientProps, type UserPoolDomain,
} from 'aws-cdk-lib/aws-cognito';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  clientSettings, cliCallbackUrls, consoleCallbackPath, machineClientSettings, ownClientRefreshDays, personClientSettings, resourceServers,
  temporaryPasswordDays,
} from '../../contract/oauth/oauth.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from '../lambda/lambda-function.ts';
import type { Storage } from '../state/storage.ts';

export type UserPoolProps = {
  readonly context: Pick<DeploymentContext, 'removalPolicy' | 'authDomainPrefix' | 'publicUrls'>;
  /** Web origins of the console. */
  readonly consoleOrigins: readonly string[];
  readonly storage: Storage;
  readonly code: LambdaCode;
};

/** How the app clients of the pool differ. */
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

/**
 * The Cognito user pool with its hosted sign-in, the resource servers, the trigger that adds scopes to tokens, and the
 * app clients of the console and the command line.
 */
export class UserPool extends Construct {
  readonly pool: CognitoUserPool;
  /** Base URL of the hosted sign-in, without a slash at the end. */
  readonly authUrl: string;
  readonly consoleClient: CfnUserPoolClient;
  readonly cliClient: CfnUserPoolClient;
  /** Environment variables for verifying access tokens. */
  readonly verification: LambdaEnvironment;
  private readonly resourceServers: UserPoolResourceServer[];

  constructor(scope: Construct, id: string, { context, consoleOrigins, storage, code }: UserPoolProps) {
    super(scope, id);
    this.pool = this.createPool(context.removalPolicy === 'retain');
    this.addPreTokenTrigger(storage, code);
    this.resourceServers = this.createResourceServers();
    const domain = this.createDomain(context.authDomainPrefix);
    this.authUrl = context.publicUrls.auth ?? domain.baseUrl();
    const consoleUrls = consoleOrigins.map((origin) => `${origin}${consoleCallbackPath}`);
    this.consoleClient = this.addClient('Console', { flow: 'code', refreshDays: 1, callbackUrls: consoleUrls });
    this.cliClient = this.addClient('Cli', { flow: 'code', refreshDays: ownClientRefreshDays, callbackUrls: cliCallbackUrls });
    this.verification = { userPoolId: this.pool.userPoolId, identityProviderUrl: context.publicUrls.identityProvider };
  }

  /** Adds an app client. It sets every property and relies on no defaults. */
  addClient(name: string, kind: ClientKind): CfnUserPoolClient {
    const client = new CfnUserPoolClient(this, `${name}Client`, {
      userPoolId: this.pool.userPoolId,
      clientName: name,
      ...clientSettings,
      supportedIdentityProviders: [...clientSettings.supportedIdentityProviders],
      ...flowProperties(kind),
    });
    client.node.addDependency(...this.resourceServers);
    return client;
  }

  /** Allows creating, reading and deleting users of the pool, but no access to passwords or tokens. */
  grantManageUsers(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:AdminCreateUser', 'cognito-idp:AdminGetUser', 'cognito-idp:AdminDeleteUser');
  }

  /** Allows disabling and enabling sign-in, and ending sessions. */
  grantBlockUsers(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:AdminDisableUser', 'cognito-idp:AdminEnableUser', 'cognito-idp:AdminUserGlobalSignOut');
  }

  /** Allows reading an app client with its secret. */
  grantDescribeClients(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:DescribeUserPoolClient');
  }

  /** Allows creating, listing and deleting app clients. */
  grantRegisterClients(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:CreateUserPoolClient', 'cognito-idp:ListUserPoolClients', 'cognito-idp:DeleteUserPoolClient');
  }

  /** Allows listing and deleting app clients. */
  grantSweepClients(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:ListUserPoolClients', 'cognito-idp:DeleteUserPoolClient');
  }

  private grant(grantee: IGrantable, ...actions: string[]): void {
    allowActions(grantee, { actions, resources: [this.pool.userPoolArn] });
  }

  private createPool(isRetained: boolean): CognitoUserPool {
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
        tempPasswordValidity: Duration.days(temporaryPasswordDays),
      },
      deletionProtection: isRetained,
      removalPolicy: isRetained ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }

  private addPreTokenTrigger(storage: Storage, code: LambdaCode): void {
    const preToken = new LambdaFunction(this, 'PreToken', {
      code,
      name: 'pre-token',
      description: 'Adds the user id and scopes of a user to their access token',
      environment: { directoryTable: storage.directoryTable.tableName },
      timeout: Duration.seconds(5),
    });
    storage.grantReadDirectory(preToken);
    storage.grantDirectoryItems(preToken, ['UpdateItem'], 'registered-client');
    this.pool.addTrigger(UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG, preToken, LambdaVersion.V2_0);
  }

  private createResourceServers(): UserPoolResourceServer[] {
    return Object.values(resourceServers).map(({ identifier, name, permissions }) => this.pool.addResourceServer(identifier, {
      identifier,
      userPoolResourceServerName: name,
      scopes: Object.entries(permissions).map(([scopeName, scopeDescription]) => new ResourceServerScope({ scopeName, scopeDescription })),
    }));
  }

  /**
   * The prefix must be unique in the region. A part of the stack's id is unique, and constant while the stack exists.
   */
  private createDomain(chosen: string | undefined): UserPoolDomain {
    const partOfStackId = Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))));
    return this.pool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: chosen ?? `postrider-${partOfStackId}` },
      managedLoginVersion: ManagedLoginVersion.CLASSIC_HOSTED_UI,
    });
  }
}
