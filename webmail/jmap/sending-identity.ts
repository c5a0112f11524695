import { comparableAddress } from '../../contract/values/mail-address.ts';
import type { EmailAddress, Identity } from './types.ts';

/** Whether an Identity names an address to send from. One of a whole domain names none (RFC 8621 §6). */
export const isUsable = ({ email }: Pick<Identity, 'email'>): boolean => !email.startsWith('*');

/** The Identity to which a message came, by the first of its recipients who has one; else the first Identity. */
export const receiving = (identities: readonly Identity[], recipients: readonly EmailAddress[]): Identity | undefined => {
  const usable = identities.filter(isUsable);
  const byAddress = new Map(usable.toReversed().map((identity) => [comparableAddress(identity.email), identity]));
  for (const { email } of recipients) {
    const found = byAddress.get(comparableAddress(email));
    if (found) return found;
  }
  return usable[0];
};

/** The Identity from which a message was sent: of several with its address, the one with its name. */
export const sending = (identities: readonly Identity[], from: readonly EmailAddress[]): Identity | undefined => {
  const author = from[0];
  const named = author && identities.find(({ name, email }) => name === author.name && comparableAddress(email) === comparableAddress(author.email));
  return named ?? receiving(identities, from);
};
