import { CognitoJwtVerifier } from 'aws-jwt-verify';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting, optionalSetting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { providerMetadataReader } from './discovery-documents.ts';
import { discoveryHandler } from './discovery-handler.ts';

const userPoolId = setting('userPoolId');
const identityProviderUrl = optionalSetting('identityProviderUrl');
const issuer = identityProviderUrl ? `${identityProviderUrl}/${userPoolId}` : CognitoJwtVerifier.parseUserPoolId(userPoolId).issuer;

/** Serves discovery documents, the authorization endpoint, the sign-out of a browser, and 404 for every path without a route. */
export const handler = invoked(
  discoveryHandler({
    deployment: {
      jmapUrl: setting('jmapUrl'),
      authorizationUrl: setting('authorizationUrl'),
      authUrl: setting('authUrl'),
      cliClientId: setting('cliClientId'),
      dynamicRegistration: setting('dynamicRegistration') === 'true',
    },
    authorizationApiId: setting('authorizationApiId'),
    readProviderMetadata: providerMetadataReader(`${issuer}/.well-known/openid-configuration`, systemClock),
    log: logFor('discovery'),
  }),
);
