import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccountRecovery,
  FeaturePlan,
  LambdaVersion,
  Mfa,
  PasskeyUserVerification,
  ResourceServerScope,
  UserPool as CognitoUserPool,
  UserPoolOperation,
  CfnUserPool,
  CfnUserPoolClient,
  type UserPoolProps as CognitoUserPoolProps,
  type UserPoolResourceServer,
} from 'aws-cdk-lib/aws-cognito';
import { Policy, PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { resourceServers, temporaryPasswordDays } from '../../contract/oauth/oauth.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import { backgroundConcurrency } from '../lambda/background-concurrency.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';
import type { LambdaCode, LambdaName } from '../lambda/lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from '../lambda/lambda-function.ts';
import { resourceOf } from '../lambda/resource-of.ts';
import { identityArn } from '../mail/sending-identities.ts';
import { allowAllItems, allowAuditEntries, allowItems, each, readActions } from '../state/allow-items.ts';
import type { Storage } from '../state/imported-storage.ts';
import { addAppClient, type ClientKind } from './app-client.ts';
import type { DeployedClients } from './deployed-clients.ts';

export type UserPoolProps = {
  readonly context: Pick<DeploymentContext, 'removalPolicy' | 'mfa' | 'passkeys' | 'authDomainPrefix' | 'domain' | 'signInMailFrom' | 'lambdaConcurrency'>;
  readonly storage: Storage;
  readonly deployedClients: DeployedClients;
  readonly code: LambdaCode;
};

/** Cognito's limit for a trigger. */
const triggerTimeout = Duration.seconds(5);

/**
 * The Cognito user pool of the deployment with its resource servers and its triggers: one adds scopes to tokens, one
 * writes invitations and refuses messages to mailboxes of the deployment, and one ends the sessions of an old
 * password. `ImportedUserPool` gives access to it from other stacks.
 */
export class UserPool extends Construct {
  readonly pool: CognitoUserPool;
  private readonly resourceServers: UserPoolResourceServer[];

  constructor(scope: Construct, id: string, props: UserPoolProps) {
    super(scope, id);
    this.pool = this.createPool(props.context);
    this.addPreTokenTrigger(props);
    this.addCustomMessageTrigger(props);
    this.addPostConfirmationTrigger(props);
    this.resourceServers = this.createResourceServers();
  }

  /** Adds an app client. */
  addClient(name: string, kind: ClientKind): CfnUserPoolClient {
    const client = addAppClient(this, name, this.pool.userPoolId, kind);
    client.node.addDependency(...this.resourceServers);
    return client;
  }

  /** Allows reading an app client with its secret. */
  grantDescribeClients(grantee: IGrantable): void {
    allowActions(grantee, { actions: ['cognito-idp:DescribeUserPoolClient'], resources: [this.pool.userPoolArn] });
  }

  private createPool(context: UserPoolProps['context']): CognitoUserPool {
    const { removalPolicy, mfa, passkeys, authDomainPrefix, signInMailFrom, domain } = context;
    const isRetained = removalPolicy === 'retain';
    const pool = new CognitoUserPool(this, 'Pool', {
      userPoolName: deploymentName(this),
      featurePlan: FeaturePlan.ESSENTIALS,
      selfSignUpEnabled: false,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      autoVerify: { email: true },
      keepOriginal: { email: true },
      standardAttributes: { email: { required: true, mutable: true } },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      // With MFA optional, the hosted page asks nobody to set it up.
      ...(mfa === 'required' ? { mfa: Mfa.REQUIRED, mfaSecondFactor: { otp: true, sms: false } } : { mfa: Mfa.OFF }),
      ...(passkeys ? this.passkeyProperties(authDomainPrefix!) : {}),
      passwordPolicy: {
        minLength: 12,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(temporaryPasswordDays),
      },
      deletionProtection: isRetained,
      removalPolicy: isRetained ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // The construct has no property for the first, and needs a region for the second.
    const resource = resourceOf(pool, CfnUserPool);
    // The passkey's device verifies the person, so that it is a second factor too.
    if (passkeys) resource.webAuthnFactorConfiguration = 'MULTI_FACTOR_WITH_USER_VERIFICATION';
    if (signInMailFrom)
      resource.emailConfiguration = { emailSendingAccount: 'DEVELOPER', from: signInMailFrom, sourceArn: identityArn(Stack.of(this), domain) };
    return pool;
  }

  private passkeyProperties(authDomainPrefix: string): Partial<CognitoUserPoolProps> {
    return {
      signInPolicy: { allowedFirstAuthFactors: { password: true, passkey: true } },
      passkeyRelyingPartyId: `${authDomainPrefix}.auth.${Stack.of(this).region}.amazoncognito.com`,
      passkeyUserVerification: PasskeyUserVerification.REQUIRED,
    };
  }

  /** A Lambda that Cognito calls, and that reads the directory. */
  private triggerLambda(
    id: string,
    { storage, code }: Pick<UserPoolProps, 'storage' | 'code'>,
    name: LambdaName,
    description: string,
    settings: LambdaEnvironment = {},
    reserved?: number,
  ): LambdaFunction {
    const environment = { directoryTable: storage.directoryTable.tableName, ...settings };
    return new LambdaFunction(this, id, { code, name, description, environment, timeout: triggerTimeout, reservedConcurrency: reserved });
  }

  private addPreTokenTrigger(props: UserPoolProps): void {
    const { storage } = props;
    const reserved = backgroundConcurrency(props.context.lambdaConcurrency).reserved['pre-token'];
    const preToken = this.triggerLambda('PreToken', props, 'pre-token', 'Adds the user id and scopes of a user to their access token', {}, reserved);
    props.deployedClients.precede(preToken);
    allowAllItems(preToken, storage.directoryTable, readActions);
    allowItems(preToken, storage.directoryTable, ['UpdateItem'], directoryPartitions.registeredClients, directoryPartitions.users);
    this.pool.addTrigger(UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG, preToken, LambdaVersion.V2_0);
  }

  private addCustomMessageTrigger(props: UserPoolProps): void {
    const { domain, mfa } = props.context;
    const description = 'Writes invitations, and refuses messages with codes and passwords to mailboxes of the deployment';
    const customMessage = this.triggerLambda('CustomMessage', props, 'custom-message', description, { mailDomain: domain, mfa });
    // Whether a domain receives mail.
    allowItems(customMessage, props.storage.directoryTable, ['GetItem'], directoryPartitions.domainNames);
    this.pool.addTrigger(UserPoolOperation.CUSTOM_MESSAGE, customMessage);
  }

  private addPostConfirmationTrigger(props: UserPoolProps): void {
    const description = 'Ends the sessions of a person who chose a new password with a code';
    const postConfirmation = this.triggerLambda('PostConfirmation', props, 'post-confirmation', description);
    const { directoryTable } = props.storage;
    const { identities, users, memberships } = directoryPartitions;
    allowItems(postConfirmation, directoryTable, ['GetItem'], identities, users);
    allowItems(postConfirmation, directoryTable, ['UpdateItem'], users);
    allowItems(postConfirmation, directoryTable, ['PutItem'], each(memberships));
    allowAuditEntries(postConfirmation, directoryTable);
    this.pool.addTrigger(UserPoolOperation.POST_CONFIRMATION, postConfirmation);
    // The Lambda would wait for a policy of its own, which names the pool, and the pool waits for the Lambda.
    new Policy(this, 'EndSessions', {
      roles: [postConfirmation.role!],
      statements: [new PolicyStatement({ actions: ['cognito-idp:AdminUserGlobalSignOut'], resources: [this.pool.userPoolArn] })],
    });
  }

  private createResourceServers(): UserPoolResourceServer[] {
    return Object.values(resourceServers).map(({ identifier, name, permissions }) =>
      this.pool.addResourceServer(identifier, {
        identifier,
        userPoolResourceServerName: name,
        scopes: Object.entries(permissions).map(([scopeName, scopeDescription]) => new ResourceServerScope({ scopeName, scopeDescription })),
      }),
    );
  }
}
