import type { thread } from '../../../contract/jmap/thread.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { BehaviourOf } from '../verbs/behaviour.ts';

/** RFC 8621 §3: a Thread is the list of its Emails, and exists while it has any. */
export const threadBehaviour: BehaviourOf<typeof thread> = {
  get: {
    records(_args, { view }) {
      const emails = emailsOf(view);
      return {
        size: emails.threadCount,
        ids: () => emails.threadIds(),
        has: (id) => emails.hasThread(id),
        read: (ids, properties) => ids.map((id) => ({ id, ...(properties.has('emailIds') && { emailIds: emails.threadEmailIds(id) }) })),
      };
    },
  },
  changes: {},
};
