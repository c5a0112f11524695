import { memorySenderAddresses } from '../../../fakes/memory-sender-addresses.ts';
import { senderAddressesSuite } from '../../../port-suites/sender-addresses-suite.ts';

describe('single sender addresses in memory', () => {
  senderAddressesSuite(async () => {
    const addresses = memorySenderAddresses();
    return { addresses, verify: async (email) => addresses.settle(email) };
  });
});
