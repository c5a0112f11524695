import type { Email, Id, Mailbox } from '../jmap/types.ts';
import { unreadDifference, type PendingChange } from './pending-changes.ts';

export type ShownMailboxSources = {
  readonly version: () => number;
  /** Mailboxes and Emails as the server said them last. */
  readonly mailboxes: ReadonlyMap<Id, Mailbox>;
  readonly emails: ReadonlyMap<Id, Email>;
  readonly pending: () => readonly PendingChange[];
};

/** Mailboxes as they are shown, with the unread Emails of changes under way. They are counted once for each version. */
export const createShownMailboxes = ({ version, mailboxes, emails, pending }: ShownMailboxSources): (() => readonly Mailbox[]) => {
  let last: { readonly version: number; readonly shown: readonly Mailbox[] } | undefined;
  return () => {
    if (last?.version === version()) return last.shown;
    const shown = [...mailboxes.values()].map((mailbox) => ({
      ...mailbox,
      unreadEmails: Math.max(0, mailbox.unreadEmails + unreadDifference(emails, pending(), mailbox.id)),
    }));
    last = { version: version(), shown };
    return shown;
  };
};
