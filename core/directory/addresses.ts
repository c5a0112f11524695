import { InvalidInput } from '../runtime/domain-errors.ts';
import type { Table } from '../storage/table.ts';

/** The longest address of SMTP (RFC 5321 §4.5.3.1.3, without the angle brackets). */
const maxAddressLength = 254;

/** @throws InvalidInput for an address that is too long. */
export const addressAt = (localPart: string, domain: string): string => {
  const email = `${localPart}@${domain}`;
  if (email.length > maxAddressLength) {
    throw new InvalidInput(`local_part and domain make an address of more than ${maxAddressLength} characters`);
  }
  return email;
};

/** Finds the accounts that mail is delivered to. */
export type Addresses = {
  /**
   * The accounts of the addresses that receive mail, by the address as given, in one BatchGet. An address is left out
   * if no account has it, if its alias is not active, or if its domain does not receive.
   */
  resolve(emails: readonly string[]): Promise<Map<string, { readonly accountId: string }>>;
};

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

export const addressesIn = (table: Table): Addresses => ({
  async resolve(emails) {
    const requested = emails.map((given) => ({ given, email: given.toLowerCase() })).filter(({ email }) => email !== '');
    const items = await table.batchGet([
      ...requested.map(({ email }) => ({ pk: 'address', sk: email })),
      ...requested.flatMap(({ email }) => (domainOf(email) ? [{ pk: 'domain-name', sk: domainOf(email) }] : [])),
    ]);
    const receiving = new Set(items
      .filter(({ pk, ...item }) => pk === 'domain-name' && item['receive_enabled'] === true)
      .map(({ sk }) => sk));
    const accounts = new Map(items.filter(({ pk, ...item }) => pk === 'address' && item['state'] === 'ready' && item['is_active'] === true)
      .map((item) => [item.sk, item['account_id'] as string]));
    return new Map(requested.flatMap(({ given, email }) => {
      const accountId = accounts.get(email);
      return accountId !== undefined && receiving.has(domainOf(email)) ? [[given, { accountId }] as const] : [];
    }));
  },
});
