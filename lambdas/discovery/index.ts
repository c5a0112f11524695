import { CognitoJwtVerifier } from 'aws-jwt-verify';
import { systemClock } from '../../core/runtime/clock.ts';
import { configured, configuredOrNot } from '../../core/runtime/configuration.ts';
import { logFor } from '../../core/runtime/log.ts';
import { discoveryAnswerer } from './answer.ts';
import { providerAt } from './provider.ts';

const userPoolId = configured('userPoolId');
const identityProviderUrl = configuredOrNot('identityProviderUrl');
const issuer = identityProviderUrl ? `${identityProviderUrl}/${userPoolId}` : CognitoJwtVerifier.parseUserPoolId(userPoolId).issuer;

/** Discovery documents, and the answer to every path that no other route takes. */
export const handler = discoveryAnswerer({
  deployment: {
    jmapUrl: configured('jmapUrl'),
    authUrl: configured('authUrl'),
    dynamicRegistration: configured('dynamicRegistration') === 'true',
  },
  provider: providerAt(`${issuer}/.well-known/openid-configuration`, systemClock),
  log: logFor('discovery'),
});
