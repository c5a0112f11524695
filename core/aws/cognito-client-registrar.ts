import { createHash } from 'node:crypto';
import {
  CognitoIdentityProviderClient,
  CreateUserPoolClientCommand,
  DeleteUserPoolClientCommand,
  InvalidParameterException,
  ListUserPoolClientsCommand,
  ResourceNotFoundException,
  UpdateUserPoolClientCommand,
  type UserPoolClientDescription,
} from '@aws-sdk/client-cognito-identity-provider';
import { clientSettings, ownClientRefreshDays, personClientSettings, registeredClientScopes } from '../../contract/oauth/oauth.ts';
import { registeredClientName } from '../../contract/oauth/registration.ts';
import { namingErrors, clientTimeouts } from '../runtime/sdk-client.ts';
import { ProviderRefusal, valueOnError } from './provider-errors.ts';

/** An app client at the identity provider that was created for a registration. */
export type AppClient = { readonly clientId: string; readonly fingerprint: string };

/**
 * Creates clients at the identity provider for dynamic client registration. The
 * fake in `test/fakes/` passes the same suite. Each client has the fingerprint of its registration, 64 hexadecimal
 * digits, so that the client of an interrupted registration can be found. The provider permits several clients with one
 * fingerprint.
 */
export type ClientRegistrar = {
  /**
   * Creates a public client for the authorization code flow.
   * @returns its client id.
   * @throws ProviderRefusal for a redirect URI that the provider refuses. After any other error the client may exist.
   */
  create(fingerprint: string, redirectUris: readonly string[]): Promise<string>;
  /** The version of the settings of clients. It changes when a release changes them. */
  readonly settingsVersion: string;
  /** Gives a client the current settings. A client that does not exist is ignored. */
  update(clientId: string, fingerprint: string, redirectUris: readonly string[]): Promise<void>;
  /** Lists the clients that {@link ClientRegistrar.create} made, and no other clients of the provider. */
  list(): Promise<AppClient[]>;
  /** Counts all clients at the provider, including those of the deployment. The provider limits this number. */
  count(): Promise<number>;
  /** Deletes a client. A client that does not exist is ignored. */
  remove(clientId: string): Promise<void>;
};

/** Maximum clients on a page of ListUserPoolClients. */
const pageSize = 60;

/** Settings for calls during a registration, when a person waits: two attempts instead of three. */
const registrationPatience = { ...clientTimeouts, maxAttempts: 2 };

const registeredClients = ({ ClientId: clientId, ClientName: name }: UserPoolClientDescription): AppClient[] => {
  const fingerprint = registeredClientName.pattern.exec(name ?? '')?.[1];
  return clientId && fingerprint ? [{ clientId, fingerprint }] : [];
};

const settings = {
  GenerateSecret: personClientSettings.generateSecret,
  AllowedOAuthFlowsUserPoolClient: clientSettings.allowedOAuthFlowsUserPoolClient,
  AllowedOAuthFlows: [...personClientSettings.allowedOAuthFlows],
  AllowedOAuthScopes: [...registeredClientScopes],
  SupportedIdentityProviders: [...clientSettings.supportedIdentityProviders],
  ExplicitAuthFlows: [...personClientSettings.explicitAuthFlows],
  RefreshTokenRotation: {
    Feature: personClientSettings.refreshTokenRotation.feature,
    RetryGracePeriodSeconds: personClientSettings.refreshTokenRotation.retryGracePeriodSeconds,
  },
  PreventUserExistenceErrors: clientSettings.preventUserExistenceErrors,
  EnableTokenRevocation: clientSettings.enableTokenRevocation,
  EnablePropagateAdditionalUserContextData: clientSettings.enablePropagateAdditionalUserContextData,
  AuthSessionValidity: clientSettings.authSessionValidity,
  AccessTokenValidity: clientSettings.accessTokenValidity,
  IdTokenValidity: clientSettings.idTokenValidity,
  RefreshTokenValidity: ownClientRefreshDays,
  TokenValidityUnits: {
    AccessToken: clientSettings.tokenValidityUnits.accessToken,
    IdToken: clientSettings.tokenValidityUnits.idToken,
    RefreshToken: clientSettings.tokenValidityUnits.refreshToken,
  },
};

/** The digest of the settings. */
const settingsVersion = createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 16);

/** The name and the redirect URIs of a client. */
const descriptionOf = (fingerprint: string, redirectUris: readonly string[]) => ({
  ClientName: registeredClientName.of(fingerprint),
  CallbackURLs: [...redirectUris],
  LogoutURLs: [...redirectUris],
});

/** {@link ClientRegistrar} in a Cognito user pool, whose app clients are the clients. */
export const cognitoClientRegistrar = (userPoolId: string, client = namingErrors(new CognitoIdentityProviderClient(registrationPatience))): ClientRegistrar => {
  /** All app clients of the pool. */
  const listAll = async (): Promise<UserPoolClientDescription[]> => {
    const clients: UserPoolClientDescription[] = [];
    let nextToken: string | undefined;
    do {
      const page = await client.send(new ListUserPoolClientsCommand({ UserPoolId: userPoolId, MaxResults: pageSize, NextToken: nextToken }));
      clients.push(...(page.UserPoolClients ?? []));
      nextToken = page.NextToken;
    } while (nextToken);
    return clients;
  };
  return {
    async create(fingerprint, redirectUris) {
      try {
        const { UserPoolClient: created } = await client.send(
          new CreateUserPoolClientCommand({ UserPoolId: userPoolId, ...descriptionOf(fingerprint, redirectUris), ...settings }),
        );
        if (!created?.ClientId) throw new Error('the identity provider returned no client id');
        return created.ClientId;
      } catch (error) {
        throw error instanceof InvalidParameterException ? new ProviderRefusal('the identity provider refuses a redirect URI') : error;
      }
    },
    settingsVersion,
    async update(clientId, fingerprint, redirectUris) {
      const { GenerateSecret: _secret, ...changeable } = settings;
      const change = new UpdateUserPoolClientCommand({
        UserPoolId: userPoolId,
        ClientId: clientId,
        ...descriptionOf(fingerprint, redirectUris),
        ...changeable,
      });
      await valueOnError(ResourceNotFoundException, undefined, client.send(change));
    },
    list: async () => (await listAll()).flatMap(registeredClients),
    count: async () => (await listAll()).length,
    async remove(clientId) {
      const deletion = client.send(new DeleteUserPoolClientCommand({ UserPoolId: userPoolId, ClientId: clientId }));
      await valueOnError(ResourceNotFoundException, undefined, deletion);
    },
  };
};
