import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { thread } from '../../../contract/jmap/thread.ts';
import type { BehaviourOf } from '../verbs/behaviour.ts';

/** RFC 8621 §3: a Thread is the list of its Emails, and exists while it has any. */
export const threadBehaviour: BehaviourOf<typeof thread> = {
  get: {
    count: (view) => emailsOf(view).threadIds().length,
    ids: (view) => emailsOf(view).threadIds(),
    has: (view, id) => emailsOf(view).threadEmailIds(id).length > 0,
    read: (ids, properties, _args, { view }) =>
      Promise.resolve(ids.map((id) => ({ id, ...(properties.has('emailIds') && { emailIds: emailsOf(view).threadEmailIds(id) }) }))),
  },
  changes: {},
};
