import { directoryKeys, directoryPartitions } from '../../../contract/deployment/keys.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import { roleLocalParts } from '../../../contract/values/role-addresses.ts';
import type { Item, Table } from '../../storage/table.ts';
import { storedDomainOf } from '../domains/domains.ts';
import { findRoleMailAccount } from './role-mail.ts';

/** The domains and addresses that receive mail. */
export type ReceivingDirectory = {
  /**
   * The domains that receive mail, each with the number of its addresses, active or not, and of its role addresses, and
   * whether it receives mail for addresses that do not exist too.
   */
  domains(): Promise<{ readonly domain: string; readonly addressCount: number; readonly hasCatchAll: boolean }[]>;
  /**
   * All active addresses, including those of domains that do not receive, and the role addresses at the domains that no
   * account has, if an admin gets their mail. It reads all items of addresses.
   */
  activeAddresses(domains: Iterable<string>): Promise<string[]>;
};

const isReady = (item: Item): boolean => item['state'] === 'ready';

/**
 * Makes a function that tells whether the deployment receives mail for the domain of an address. The address need not
 * exist.
 */
export const receivesMailIn =
  (table: Pick<Table, 'get'>) =>
  async (address: string): Promise<boolean> => {
    const domain = domainOf(address.toLowerCase());
    return domain !== '' && (await table.get(directoryKeys.domainName(domain)))?.['receive_enabled'] === true;
  };

export const receivingDirectoryIn = (table: Table): ReceivingDirectory => ({
  async domains() {
    const domains = await table.query({ pk: directoryPartitions.domains });
    return domains
      .map(storedDomainOf)
      .filter(({ state, receive_enabled: receives }) => state === 'ready' && receives)
      .map(({ domain, address_count: count, catch_all: catchAll }) => ({
        domain,
        addressCount: count + roleLocalParts.length,
        hasCatchAll: catchAll !== undefined,
      }));
  },
  async activeAddresses(domains) {
    const [addresses, account] = await Promise.all([table.query({ pk: directoryPartitions.addresses }), findRoleMailAccount(table)]);
    const stored = new Set(addresses.map(({ sk }) => sk));
    const roles = account ? [...domains].flatMap((domain) => roleLocalParts.map((role) => `${role}@${domain}`)) : [];
    return [...addresses.filter((item) => isReady(item) && item['is_active'] === true).map(({ sk }) => sk), ...roles.filter((address) => !stored.has(address))];
  },
});
