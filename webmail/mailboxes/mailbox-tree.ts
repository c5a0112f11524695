import type { Id, Mailbox } from '../jmap/types.ts';
import { isSettingsMailbox } from '../labels/label.ts';
import { roleNames } from '../words/words.ts';

export type MailboxNode = { readonly mailbox: Mailbox; readonly depth: number };

const roleOrder = Object.keys(roleNames);

/** The name of a mailbox: that of its role, or its own. */
export const mailboxName = ({ role, name }: Pick<Mailbox, 'role' | 'name'>): string => roleNames[role ?? ''] ?? name;

const orderOf = ({ role, sortOrder }: Mailbox): number => {
  const place = roleOrder.indexOf(role ?? '');
  return place < 0 ? roleOrder.length + sortOrder : place;
};

/** Mailboxes in the order of the navigation: those with roles first, children below their parents. */
export const mailboxTree = (all: readonly Mailbox[]): readonly MailboxNode[] => {
  const mailboxes = all.filter((mailbox) => !isSettingsMailbox(mailbox));
  const known = new Set(mailboxes.map(({ id }) => id));
  const children = Map.groupBy(mailboxes, ({ parentId }) => (parentId !== null && known.has(parentId) ? parentId : null));
  const nodes: MailboxNode[] = [];
  const add = (parentId: Id | null, depth: number): void => {
    const sorted = (children.get(parentId) ?? []).toSorted((one, other) => orderOf(one) - orderOf(other) || mailboxName(one).localeCompare(mailboxName(other)));
    for (const mailbox of sorted) {
      nodes.push({ mailbox, depth });
      children.delete(parentId);
      add(mailbox.id, depth + 1);
    }
  };
  add(null, 0);
  return nodes;
};
