import { comparableAddress } from '../../../contract/values/mail-address.ts';
import { InvalidInput } from '../../runtime/domain-errors.ts';
import type { Item, Table } from '../../storage/table.ts';

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

/** The account that receives the mail of an address. */
export type Receiver = {
  readonly accountId: string;
  /**
   * The address of its alias: the requested address in the form of {@link comparableAddress}, or that address without
   * its detail.
   */
  readonly email: string;
  /** The address that gets a copy of the mail (docs/specification.md#aliases). */
  readonly bcc?: string;
};

/** Finds the accounts that mail is delivered to. */
export type Addresses = {
  /**
   * The accounts of the addresses that receive mail, by the address as given, in one BatchGet. An address is left out
   * if no account has it, if its alias is not active, or if its domain does not receive. `user+detail@` is the address
   * `user@`, unless an alias has exactly that name, active or not (RFC 5233).
   */
  resolve(emails: readonly string[]): Promise<Map<string, Receiver>>;
};

/** The domain of an address; empty if it has none. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** The address without the detail of its local part (RFC 5233 §2); undefined if it has none. */
const withoutDetail = (email: string): string | undefined => {
  const separator = email.slice(0, email.lastIndexOf('@')).indexOf('+');
  return separator > 0 ? `${email.slice(0, separator)}@${domainOf(email)}` : undefined;
};

/** The names under which an address may be stored, in the order of precedence. */
const candidatesOf = (email: string): string[] => {
  const user = withoutDetail(email);
  return user === undefined ? [email] : [email, user];
};

const receiverOf = (address: Item | undefined): Receiver | undefined => {
  if (address?.['state'] !== 'ready' || address['is_active'] !== true) return undefined;
  const { sk: email, account_id: accountId, bcc } = address;
  return { accountId: accountId as string, email, ...(bcc !== undefined && { bcc: bcc as string }) };
};

export const addressesIn = (table: Table): Addresses => ({
  async resolve(emails) {
    const requested = emails.map((given) => ({ given, email: comparableAddress(given) })).filter(({ email }) => email !== '');
    const items = await table.batchGet([
      ...requested.flatMap(({ email }) => candidatesOf(email).map((candidate) => ({ pk: 'address', sk: candidate }))),
      ...requested.flatMap(({ email }) => (domainOf(email) ? [{ pk: 'domain-name', sk: domainOf(email) }] : [])),
    ]);
    const receiving = new Set(items
      .filter(({ pk, ...item }) => pk === 'domain-name' && item['receive_enabled'] === true)
      .map(({ sk }) => sk));
    const addresses = new Map(items.filter(({ pk }) => pk === 'address').map((item) => [item.sk, item]));
    return new Map(requested.flatMap(({ given, email }) => {
      const stored = candidatesOf(email).find((candidate) => addresses.has(candidate));
      const receiver = receiverOf(stored === undefined ? undefined : addresses.get(stored));
      return receiver && receiving.has(domainOf(email)) ? [[given, receiver] as const] : [];
    }));
  },
});
