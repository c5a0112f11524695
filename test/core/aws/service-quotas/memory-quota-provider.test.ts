import { quotaProviderContract } from '../../../port-suites/quota-provider-suite.ts';
import { memoryQuotaProvider } from '../../../fakes/quota-provider.ts';

describe('who raises quotas, in memory', () => {
  quotaProviderContract(async () => {
    const provider = memoryQuotaProvider();
    return { provider, decide: (id, status) => provider.decide(id, status) };
  });
});
