import { memorySenderAddresses } from '../../../fakes/sender-addresses.ts';
import { senderAddressesContract } from '../../../port-suites/sender-addresses-suite.ts';

describe('single sender addresses in memory', () => {
  senderAddressesContract(async () => {
    const addresses = memorySenderAddresses();
    return { addresses, verify: async (email) => addresses.settle(email) };
  });
});
