import { memoryDnsProvider } from '../../fakes/dns-provider.ts';
import { dnsProviderContract } from '../../contracts/dns-provider-contract.ts';

describe('the keeper of our DNS in memory', () => {
  dnsProviderContract(async () => {
    const provider = memoryDnsProvider();
    for (const zone of ['zones.test', 'deep.zones.test']) provider.addZone(zone);
    return provider;
  });
});
