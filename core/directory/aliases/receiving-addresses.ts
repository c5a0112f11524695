import type { Item, Table } from '../../storage/table.ts';
import { domainOf } from './addresses.ts';

/** The domains and addresses that receive mail. */
export type ReceivingDirectory = {
  /** The domains that receive mail, with the number of their addresses, active or not. */
  domains(): Promise<{ readonly domain: string; readonly addressCount: number }[]>;
  /** All active addresses, also those of domains that do not receive. It reads every address. */
  activeAddresses(): Promise<string[]>;
};

const isReady = (item: Item): boolean => item['state'] === 'ready';

/** Tells whether the deployment receives the mail of an address's domain, whether or not the address exists. */
export const receivesMailIn = (table: Pick<Table, 'get'>) => async (address: string): Promise<boolean> => {
  const domain = domainOf(address.toLowerCase());
  return domain !== '' && (await table.get({ pk: 'domain-name', sk: domain }))?.['receive_enabled'] === true;
};

export const receivingDirectoryIn = (table: Table): ReceivingDirectory => ({
  async domains() {
    const domains = await table.query({ pk: 'domain' });
    return domains.filter((item) => isReady(item) && item['receive_enabled'] === true)
      .map((item) => ({ domain: item['domain'] as string, addressCount: item['address_count'] as number }));
  },
  async activeAddresses() {
    const addresses = await table.query({ pk: 'address' });
    return addresses.filter((item) => isReady(item) && item['is_active'] === true).map(({ sk }) => sk);
  },
});
