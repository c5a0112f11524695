import { changesOf, type LogEntry } from '../account-log/log-entry.ts';
import type { RecordEvent, Indexes, StoredType } from '../account-log/records/stored-type.ts';
import type { EmailRow } from './email/email-content.ts';
import { emailsOf, emailType, type EmailBefore } from './email/email-type.ts';

/** The events of Threads. The number of Emails after each commit is counted backwards from the newest commit. */
const threadEvents = (entries: readonly LogEntry[], indexes: Indexes): readonly (readonly RecordEvent[])[] => {
  const emails = emailsOf(indexes);
  const sizes = new Map<string, number>();
  const sizeOf = (threadId: string) => sizes.get(threadId) ?? emails.threadSize(threadId);
  return entries
    .toReversed()
    .map((entry) => {
      const { created, destroyed } = changesOf<EmailRow, EmailBefore>(entry, emailType);
      const growths = new Map<string, number>();
      const add = (threadId: string, growth: number) => growths.set(threadId, (growths.get(threadId) ?? 0) + growth);
      for (const { threadId } of created) add(threadId, 1);
      for (const { before } of destroyed) add(before!.threadId!, -1);
      return [...growths].map(([id, growth]): RecordEvent => {
        const after = sizeOf(id);
        const before = after - growth;
        sizes.set(id, before);
        return { id, kind: before === 0 ? 'created' : after === 0 ? 'destroyed' : 'updated' };
      });
    })
    .toReversed();
};

/** Thread (RFC 8621 §3). It is derived from the Emails, so it changes when an Email is added or destroyed. */
export const threadType: StoredType = {
  name: 'Thread',
  isChangedBy(entry) {
    const { created, destroyed } = changesOf(entry, emailType);
    return created.length + destroyed.length > 0;
  },
  events: threadEvents,
};
