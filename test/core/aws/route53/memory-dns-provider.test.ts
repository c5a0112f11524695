import { memoryDnsProvider } from '../../../fakes/memory-dns-provider.ts';
import { dnsProviderSuite } from '../../../port-suites/dns-provider-suite.ts';

describe('the keeper of our DNS in memory', () => {
  dnsProviderSuite(async () => {
    const provider = memoryDnsProvider();
    for (const zone of ['zones.test', 'deep.zones.test']) provider.addZone(zone);
    return provider;
  });
});
