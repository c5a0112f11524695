import { identityProviderSuite } from '../../../port-suites/identity-provider-suite.ts';
import { memoryIdentityProvider } from '../../../fakes/memory-identity-provider.ts';

describe('the identity provider in memory', () => {
  identityProviderSuite(async () => {
    const provider = memoryIdentityProvider();
    return { provider, invitations: () => provider.invitations };
  });
});
