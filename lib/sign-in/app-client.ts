import { CfnUserPoolClient, type CfnUserPoolClientProps } from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import { clientSettings, machineClientSettings, personClientSettings } from '../../contract/oauth/oauth.ts';

/** The kinds of app clients of the pool, with their differences. */
export type ClientKind =
  | {
      readonly flow: 'code';
      readonly passkeys: boolean;
      readonly callbackUrls: readonly string[];
      readonly refreshDays: number;
      /** Scopes that the client may request. Default: those of any client of a person. */
      readonly scopes?: readonly string[];
    }
  | { readonly flow: 'client_credentials'; readonly scopes: readonly string[] };

/** Offers a person the choice of password and passkey. */
const passkeyAuthFlow = 'ALLOW_USER_AUTH';

const flowProperties = (kind: ClientKind): Partial<CfnUserPoolClientProps> =>
  kind.flow === 'code'
    ? {
        ...personClientSettings,
        allowedOAuthFlows: [...personClientSettings.allowedOAuthFlows],
        allowedOAuthScopes: [...(kind.scopes ?? personClientSettings.allowedOAuthScopes)],
        explicitAuthFlows: [...personClientSettings.explicitAuthFlows, ...(kind.passkeys ? [passkeyAuthFlow] : [])],
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

/** Adds an app client to a user pool. It sets every property, without relying on defaults. */
export const addAppClient = (scope: Construct, name: string, userPoolId: string, kind: ClientKind): CfnUserPoolClient =>
  new CfnUserPoolClient(scope, `${name}Client`, {
    userPoolId,
    clientName: name,
    ...clientSettings,
    supportedIdentityProviders: [...clientSettings.supportedIdentityProviders],
    ...flowProperties(kind),
  });
