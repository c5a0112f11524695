import { UserPool as CognitoUserPool, type IUserPool } from 'aws-cdk-lib/aws-cognito';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { DeploymentContext } from '../deployment-context.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { LambdaEnvironment } from '../lambda/lambda-function.ts';
import { sharedValue } from '../lambda/shared-values.ts';

export type ImportedUserPoolProps = { readonly context: Pick<DeploymentContext, 'publicUrls'> };

/** The user pool, which `UserPool` creates in another stack. */
export class ImportedUserPool extends Construct {
  readonly pool: IUserPool;
  /** Environment variables for verifying access tokens. */
  readonly verification: LambdaEnvironment;

  constructor(scope: Construct, id: string, { context }: ImportedUserPoolProps) {
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
      grantee,
      'cognito-idp:CreateUserPoolClient',
      'cognito-idp:UpdateUserPoolClient',
      'cognito-idp:ListUserPoolClients',
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
