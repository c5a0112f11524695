import { identityProviderContract } from '../../../port-suites/identity-provider-suite.ts';
import { memoryIdentityProvider } from '../../../fakes/identity-provider.ts';

describe('the identity provider in memory', () => {
  identityProviderContract(async () => {
    const provider = memoryIdentityProvider();
    return { provider, invitations: () => provider.invitations };
  });
});
