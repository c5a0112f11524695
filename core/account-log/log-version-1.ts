import type { Value } from '../storage/table.ts';
import type { Attributes } from './records/item-version.ts';

const list = (attributes: Attributes, name: string): readonly Attributes[] => (attributes[name] ?? []) as readonly Attributes[];

/**
 * Version 1 recorded only that another Mailbox became the trash. Version 2 derives this from the roles before the
 * commit.
 */
const roleBefore = (trashChanged: boolean, role: Value | undefined): Attributes =>
  (trashChanged ? { before: { role: role === 'trash' ? null : 'trash' } } : {});

const nonEmpty = (lists: { readonly [name: string]: readonly Value[] }) =>
  Object.fromEntries(Object.entries(lists).filter(([, each]) => each.length > 0));

/** Converts a log entry of version 1, which named Emails and Mailboxes, to version 2, which lists changes by type. */
export const upgradeLogEntry1 = (attributes: Attributes): Attributes => {
  const trashChanged = attributes['trashMoved'] === true;
  const emails = nonEmpty({
    created: list(attributes, 'created'),
    updated: list(attributes, 'updated').map(
      ({ was, ...record }) => ({ record, ...(was !== undefined && { before: { mailboxIds: was } }) }),
    ),
    destroyed: list(attributes, 'destroyed').map(({ id, threadId, was }) => ({ id, before: { threadId, mailboxIds: was } })),
  });
  const mailboxes = nonEmpty({
    created: list(attributes, 'createdMailboxes'),
    updated: list(attributes, 'updatedMailboxes').map((record) => ({ record, ...roleBefore(trashChanged, record['role']) })),
    destroyed: ((attributes['destroyedMailboxes'] ?? []) as readonly string[]).map(
      (id) => ({ id, ...roleBefore(trashChanged, undefined) }),
    ),
  });
  return {
    at: attributes['at'],
    writerId: attributes['by'],
    changes: {
      ...(Object.keys(mailboxes).length > 0 && { Mailbox: mailboxes }),
      ...(Object.keys(emails).length > 0 && { Email: emails }),
    },
  };
};
