import type { EmailAddress, Id } from '../jmap/types.ts';
import type { MailStore } from '../store/mail-store.ts';

/** Rows of the list whose people are offered. */
const maxRows = 200;

/** The people of the messages that a list shows, to complete what is typed. */
export const knownPeople = (store: MailStore, ids: readonly (Id | undefined)[]): readonly EmailAddress[] => {
  const byAddress = new Map<string, EmailAddress>();
  for (const id of ids.slice(0, maxRows)) {
    const email = id === undefined ? undefined : store.email(id);
    for (const person of [...(email?.from ?? []), ...(email?.to ?? [])]) byAddress.set(person.email.toLowerCase(), person);
  }
  return [...byAddress.values()];
};
