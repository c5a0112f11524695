import type { thread } from '../../../contract/jmap/thread.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { BehaviourOf } from '../request/behaviour.ts';

/** Thread/get (RFC 8621 §3.1). A Thread exists while it has an Email. */
export const threadGet: BehaviourOf<typeof thread>['get'] = {
  records(_args, { view }) {
    const emails = emailsOf(view);
    return {
      size: emails.threadCount,
      ids: () => emails.threadIds(),
      has: (id) => emails.hasThread(id),
      read: (ids, properties) => ids.map((id) => ({ id, ...(properties.has('emailIds') && { emailIds: emails.threadEmailIds(id) }) })),
    };
  },
};
