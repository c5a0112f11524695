import { CognitoJwtVerifier } from 'aws-jwt-verify';
import { systemClock } from '../../core/runtime/clock.ts';
import { setting, optionalSetting } from '../../core/runtime/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { discoveryAnswerer } from './answer.ts';
import { providerAt } from './provider.ts';

const userPoolId = setting('userPoolId');
const identityProviderUrl = optionalSetting('identityProviderUrl');
const issuer = identityProviderUrl ? `${identityProviderUrl}/${userPoolId}` : CognitoJwtVerifier.parseUserPoolId(userPoolId).issuer;

/** Discovery documents, and the answer to every path that no other route takes. */
export const handler = discoveryAnswerer({
  deployment: {
    jmapUrl: setting('jmapUrl'),
    authUrl: setting('authUrl'),
    dynamicRegistration: setting('dynamicRegistration') === 'true',
  },
  provider: providerAt(`${issuer}/.well-known/openid-configuration`, systemClock),
  log: logFor('discovery'),
});
