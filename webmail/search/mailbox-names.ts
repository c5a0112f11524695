import type { Mailbox } from '../jmap/types.ts';
import { mailboxName } from '../mailboxes/mailbox-tree.ts';

/** A name as it is compared: without regard to case, accents and compatibility forms of Unicode. */
export const comparedName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .trim();

/** The path of a mailbox: the names of its parents and its own, between slashes. */
export const mailboxPath = (mailbox: Mailbox, mailboxes: ReadonlyMap<string, Mailbox>): string => {
  const path: Mailbox[] = [];
  for (let each: Mailbox | undefined = mailbox; each && !path.includes(each); each = mailboxes.get(each.parentId ?? '')) path.push(each);
  return path.toReversed().map(mailboxName).join('/');
};

/** The mailboxes of a name: those of the role, else those of the full path, else all of the name. */
export const mailboxesNamed = (name: string, mailboxes: readonly Mailbox[]): readonly Mailbox[] => {
  const wanted = comparedName(name);
  const byId = new Map(mailboxes.map((mailbox) => [mailbox.id, mailbox]));
  const found = [
    (mailbox: Mailbox) => mailbox.role === wanted,
    (mailbox: Mailbox) => comparedName(mailboxPath(mailbox, byId)) === wanted,
    (mailbox: Mailbox) => comparedName(mailbox.name) === wanted,
  ].map((isNamed) => mailboxes.filter(isNamed));
  return found.find(({ length }) => length > 0) ?? [];
};
