import { Aws, Fn } from 'aws-cdk-lib';
import {
  CfnManagedLoginBranding, ManagedLoginVersion, UserPool as CognitoUserPool, type CfnUserPoolClient, type IUserPool, type UserPoolDomain,
} from 'aws-cdk-lib/aws-cognito';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { cliCallbackUrls, consoleCallbackPath, ownClientRefreshDays, type deployedClientOutputs } from '../../contract/oauth/oauth.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import type { LambdaEnvironment } from '../lambda/lambda-function.ts';
import { sharedValue } from '../lambda/shared-values.ts';
import { addAppClient } from './app-client.ts';

export type UserPoolProps = {
  readonly context: Pick<DeploymentContext, 'publicUrls'>;
};

export type HostedSignInProps = {
  readonly context: Pick<DeploymentContext, 'authDomainPrefix' | 'passkeys' | 'publicUrls'>;
  /** Web origins of the console. */
  readonly consoleOrigins: readonly string[];
};

/** The user pool, which `StoredUserPool` creates in another stack. */
export class UserPool extends Construct {
  readonly pool: IUserPool;
  /** Environment variables for verifying access tokens. */
  readonly verification: LambdaEnvironment;

  constructor(scope: Construct, id: string, { context }: UserPoolProps) {
    super(scope, id);
    this.pool = CognitoUserPool.fromUserPoolId(this, 'Pool', sharedValue(this, 'userPoolId'));
    this.verification = { userPoolId: this.pool.userPoolId, identityProviderUrl: context.publicUrls.identityProvider };
  }

  /** Allows creating, reading and deleting users of the pool, but neither setting passwords nor access to tokens. */
  grantManageUsers(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:AdminCreateUser', 'cognito-idp:AdminGetUser', 'cognito-idp:AdminDeleteUser');
  }

  /** Allows changing the addresses of users, and their other attributes. */
  grantChangeAddresses(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:AdminUpdateUserAttributes');
  }

  /** Allows deleting users. */
  grantRemoveUsers(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:AdminDeleteUser');
  }

  /** Allows disabling and enabling sign-in, and ending sessions. */
  grantBlockUsers(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:AdminDisableUser', 'cognito-idp:AdminEnableUser', 'cognito-idp:AdminUserGlobalSignOut');
  }

  /** Allows replacing the passwords of users, and removing their second factors. */
  grantResetCredentials(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:AdminSetUserPassword', 'cognito-idp:AdminDeleteSoftwareToken', 'cognito-idp:AdminSetUserMFAPreference');
  }

  /** Allows creating, updating, listing and deleting app clients. */
  grantRegisterClients(grantee: IGrantable): void {
    this.grant(
      grantee, 'cognito-idp:CreateUserPoolClient', 'cognito-idp:UpdateUserPoolClient', 'cognito-idp:ListUserPoolClients',
      'cognito-idp:DeleteUserPoolClient',
    );
  }

  /** Allows updating, listing and deleting app clients. */
  grantSweepClients(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:UpdateUserPoolClient', 'cognito-idp:ListUserPoolClients', 'cognito-idp:DeleteUserPoolClient');
  }

  /** Allows counting app clients. */
  grantListClients(grantee: IGrantable): void {
    this.grant(grantee, 'cognito-idp:ListUserPoolClients');
  }

  private grant(grantee: IGrantable, ...actions: string[]): void {
    allowActions(grantee, { actions, resources: [this.pool.userPoolArn] });
  }
}

/** The user pool with its hosted sign-in, and the app clients of the console and the command line. */
export class HostedSignIn extends UserPool {
  /** Base URL of the hosted sign-in, without a slash at the end. */
  readonly authUrl: string;
  readonly consoleClient: CfnUserPoolClient;
  readonly cliClient: CfnUserPoolClient;

  constructor(scope: Construct, id: string, { context, consoleOrigins }: HostedSignInProps) {
    super(scope, id, { context });
    const domain = this.createDomain(context);
    this.authUrl = context.publicUrls.auth ?? domain.baseUrl();
    const { userPoolId } = this.pool;
    const consoleUrls = consoleOrigins.map((origin) => `${origin}${consoleCallbackPath}`);
    const { passkeys } = context;
    this.consoleClient = addAppClient(this, 'Console', userPoolId, { flow: 'code', passkeys, refreshDays: 1, callbackUrls: consoleUrls });
    this.cliClient = addAppClient(
      this, 'Cli', userPoolId, { flow: 'code', passkeys, refreshDays: ownClientRefreshDays, callbackUrls: cliCallbackUrls },
    );
    if (passkeys) this.addStyles();
  }

  /** The ids of the app clients, by the names of their outputs. */
  get clientIds(): Readonly<Record<(typeof deployedClientOutputs)[number], string>> {
    return { consoleClientId: this.consoleClient.ref, cliClientId: this.cliClient.ref };
  }

  /** Lets the hosted page return to a URL when a browser signed out, with the client of the command line. */
  allowSignOutPage(url: string): void {
    this.cliClient.logoutUrLs = [...this.cliClient.logoutUrLs ?? [], url];
  }

  /** Gives each client Cognito's own style, without which the page of managed login does not open for it. */
  private addStyles(): void {
    for (const { node: { id }, attrClientId } of [this.consoleClient, this.cliClient]) {
      new CfnManagedLoginBranding(this, `${id}Style`, {
        userPoolId: this.pool.userPoolId, clientId: attrClientId, useCognitoProvidedValues: true,
      });
    }
  }

  /**
   * Creates the domain of the hosted sign-in. The prefix must be unique in the region. The default is a part of the
   * stack's id, which is unique, and constant while the stack exists.
   */
  private createDomain({ authDomainPrefix, passkeys }: HostedSignInProps['context']): UserPoolDomain {
    const partOfStackId = Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Aws.STACK_ID))));
    return this.pool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: authDomainPrefix ?? `postrider-${partOfStackId}` },
      // The classic page has no passkeys. The newer page has none for app clients without a style.
      managedLoginVersion: passkeys ? ManagedLoginVersion.NEWER_MANAGED_LOGIN : ManagedLoginVersion.CLASSIC_HOSTED_UI,
    });
  }
}
