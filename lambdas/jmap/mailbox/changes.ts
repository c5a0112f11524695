import { mailboxCounters, type mailbox } from '../../../contract/jmap/mailbox.ts';
import type { BehaviourOf } from '../request/behaviour.ts';

/** Mailbox/changes, with the property `updatedProperties` (RFC 8621 §2.2). */
export const mailboxChanges: BehaviourOf<typeof mailbox>['changes'] = {
  additionalProperties: ({ onlyComputed }) => ({ updatedProperties: onlyComputed ? mailboxCounters : null }),
};
