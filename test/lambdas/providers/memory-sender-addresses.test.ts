import { memorySenderAddresses } from '../../fakes/sender-addresses.ts';
import { senderAddressesContract } from '../../contracts/sender-addresses-contract.ts';

describe('single sender addresses in memory', () => {
  senderAddressesContract(async () => {
    const addresses = memorySenderAddresses();
    return { addresses, verify: async (email) => addresses.settle(email) };
  });
});
