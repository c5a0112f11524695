import type { MessageClass } from '../../../contract/admin/mail-feedback.ts';
import { suppression as contract } from '../../../contract/admin/suppression.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { withComplaintsCleared } from '../../../core/sending/feedback/suppression-rules.ts';
import { clearSuppression, type ClearingConnections, type SuppressionKind } from './clear-suppression.ts';

const complaintsOf = (messageClass: MessageClass): SuppressionKind => {
  const key = messageClass.toLowerCase() as Lowercase<MessageClass>;
  return { clear: (record, now) => withComplaintsCleared(record, messageClass, now), levelOf: ({ complaints }) => complaints[key].level };
};

export const clearComplaintSuppression = (connections: ClearingConnections) => adminMethod(contract.methods.ClearComplaintSuppression, {
  prefetch: ({ recipient }) => connections.suppressions.find(recipient),
  run: async ({ recipient, message_class: messageClass }, { audit }, prefetched) =>
    ({ suppression: await clearSuppression(connections, recipient, prefetched, complaintsOf(messageClass), audit) }),
});
