import type { MessageClass } from '../../../contract/admin/mail-feedback.ts';
import { suppression as contract } from '../../../contract/admin/suppression.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { withComplaintsCleared } from '../../../core/sending/feedback/suppression-rules.ts';
import { clearSuppression, type ClearingDependencies, type SuppressionKind } from './clear-suppression.ts';

const complaintKeys = { TRANSACTIONAL: 'transactional', BULK: 'bulk', MAILING_LIST: 'mailing_list' } as const satisfies {
  readonly [Class in MessageClass]: string;
};

const complaintsOf = (messageClass: MessageClass): SuppressionKind => {
  return {
    clear: (record, now) => withComplaintsCleared(record, messageClass, now),
    levelOf: ({ complaints }) => complaints[complaintKeys[messageClass]].level,
  };
};

export const clearComplaintSuppression = (dependencies: ClearingDependencies) =>
  adminMethod(contract.methods.ClearComplaintSuppression, {
    prefetch: ({ recipient }) => dependencies.suppressions.find(recipient),
    run: async ({ recipient, message_class: messageClass }, { audit }, prefetched) => ({
      suppression: await clearSuppression(dependencies, recipient, prefetched, complaintsOf(messageClass), audit),
    }),
  });
