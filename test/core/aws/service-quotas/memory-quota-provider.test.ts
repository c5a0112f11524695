import { quotaProviderSuite } from '../../../port-suites/quota-provider-suite.ts';
import { memoryQuotaProvider } from '../../../fakes/memory-quota-provider.ts';

describe('who raises quotas, in memory', () => {
  quotaProviderSuite(async () => {
    const provider = memoryQuotaProvider();
    return { provider, decide: (id, status) => provider.decide(id, status) };
  });
});
