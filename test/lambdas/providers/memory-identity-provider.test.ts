import { identityProviderContract } from '../../contracts/identity-provider-contract.ts';
import { memoryIdentityProvider } from '../../fakes/identity-provider.ts';

describe('the identity provider in memory', () => {
  identityProviderContract(async () => {
    const provider = memoryIdentityProvider();
    return { provider, invitations: () => provider.invitations };
  });
});
