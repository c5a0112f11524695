import { memoryDnsProvider } from '../../../fakes/dns-provider.ts';
import { dnsProviderContract } from '../../../port-suites/dns-provider-suite.ts';

describe('the keeper of our DNS in memory', () => {
  dnsProviderContract(async () => {
    const provider = memoryDnsProvider();
    for (const zone of ['zones.test', 'deep.zones.test']) provider.addZone(zone);
    return provider;
  });
});
