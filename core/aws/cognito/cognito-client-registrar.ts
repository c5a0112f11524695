import {
  CognitoIdentityProviderClient, CreateUserPoolClientCommand, DeleteUserPoolClientCommand, InvalidParameterException, ListUserPoolClientsCommand, ResourceNotFoundException,
  type UserPoolClientDescription,
} from '@aws-sdk/client-cognito-identity-provider';
import { clientSettings, ownClientRefreshDays, personClientSettings } from '../../../contract/oauth.ts';
import type { ClientRegistrar, RegisteredClient } from './client-registrar.ts';
import { clientTimeouts } from '../client-timeouts.ts';
import { ProviderRefusal } from '../provider-refusal.ts';

/** Client names need not differ from each other, so the fingerprint can stand there; nobody is shown them. */
const namePrefix = 'dynamic-';
const namePattern = new RegExp(`^${namePrefix}([0-9a-f]{64})$`);

/** Clients that Cognito lists at once, at most. */
const pageSize = 60;

/** A registration waits for this, and somebody waits for it: two attempts, not three. */
const registrationPatience = { ...clientTimeouts, maxAttempts: 2 };

const registeredClients = ({ ClientId: clientId, ClientName: name }: UserPoolClientDescription): RegisteredClient[] => {
  const fingerprint = namePattern.exec(name ?? '')?.[1];
  return clientId && fingerprint ? [{ clientId, fingerprint }] : [];
};

const settings = {
  GenerateSecret: personClientSettings.generateSecret,
  AllowedOAuthFlowsUserPoolClient: clientSettings.allowedOAuthFlowsUserPoolClient,
  AllowedOAuthFlows: [...personClientSettings.allowedOAuthFlows],
  AllowedOAuthScopes: [...personClientSettings.allowedOAuthScopes],
  SupportedIdentityProviders: [...clientSettings.supportedIdentityProviders],
  ExplicitAuthFlows: [...personClientSettings.explicitAuthFlows],
  RefreshTokenRotation: {
    Feature: personClientSettings.refreshTokenRotation.feature, RetryGracePeriodSeconds: personClientSettings.refreshTokenRotation.retryGracePeriodSeconds,
  },
  PreventUserExistenceErrors: clientSettings.preventUserExistenceErrors,
  EnableTokenRevocation: clientSettings.enableTokenRevocation,
  EnablePropagateAdditionalUserContextData: clientSettings.enablePropagateAdditionalUserContextData,
  AuthSessionValidity: clientSettings.authSessionValidity,
  AccessTokenValidity: clientSettings.accessTokenValidity,
  IdTokenValidity: clientSettings.idTokenValidity,
  RefreshTokenValidity: ownClientRefreshDays,
  TokenValidityUnits: {
    AccessToken: clientSettings.tokenValidityUnits.accessToken, IdToken: clientSettings.tokenValidityUnits.idToken, RefreshToken: clientSettings.tokenValidityUnits.refreshToken,
  },
};

/** App clients of a Cognito user pool. */
export const cognitoClientRegistrar = (userPoolId: string, client = new CognitoIdentityProviderClient(registrationPatience)): ClientRegistrar => ({
  async create(fingerprint, redirectUris) {
    try {
      const { UserPoolClient: made } = await client.send(new CreateUserPoolClientCommand({
        UserPoolId: userPoolId, ClientName: `${namePrefix}${fingerprint}`, CallbackURLs: [...redirectUris], LogoutURLs: [...redirectUris], ...settings,
      }));
      if (!made?.ClientId) throw new Error('the identity provider names no client id');
      return made.ClientId;
    } catch (error) {
      throw error instanceof InvalidParameterException ? new ProviderRefusal('the identity provider does not take a redirect URI') : error;
    }
  },
  async list() {
    const apps: RegisteredClient[] = [];
    let from: string | undefined;
    do {
      const page = await client.send(new ListUserPoolClientsCommand({ UserPoolId: userPoolId, MaxResults: pageSize, NextToken: from }));
      apps.push(...(page.UserPoolClients ?? []).flatMap(registeredClients));
      from = page.NextToken;
    } while (from);
    return apps;
  },
  async remove(clientId) {
    try {
      await client.send(new DeleteUserPoolClientCommand({ UserPoolId: userPoolId, ClientId: clientId }));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  },
});
