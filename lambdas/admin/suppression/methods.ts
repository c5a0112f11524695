import { suppression } from '../../../contract/admin/suppression.ts';
import { adminMethod, type AdminMethods, type Call } from '../../../core/rpc/admin-method.ts';
import { changesBetween } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import { suppressionAt, withBouncesCleared, withComplaintsCleared, type SuppressionRecord } from '../../../core/sending/suppression-rules.ts';
import type { Suppressions } from '../../../core/sending/suppressions.ts';

export type SuppressionConnections = { readonly suppressions: Suppressions; readonly clock: Clock };

/** What /suppression does. */
export const suppressionMethods = ({ suppressions, clock }: SuppressionConnections): AdminMethods<typeof suppression> => {
  type Clearing = { readonly change: (record: SuppressionRecord, now: Date) => SuppressionRecord; readonly levelOf: (record: SuppressionRecord, now: Date) => { level: string } };

  const find = ({ recipient }: { readonly recipient: string }) => suppressions.find(recipient);

  const clear = async (found: SuppressionRecord | undefined, recipient: string, { change, levelOf }: Clearing, audit: Call['audit']) => {
    const now = clock();
    audit.about({ entity_id: recipient, entity_name: recipient });
    const cleared = await suppressions.update(recipient, found, (record) => change(record, now), (before, after) => {
      audit.about({ changes: changesBetween(levelOf(before, now), levelOf(after, now), ['level']) });
      return audit.writes();
    });
    return { suppression: suppressionAt(cleared, now) };
  };

  return {
    GetSuppression: adminMethod(suppression.methods.GetSuppression, {
      prefetch: find,
      run: async (_request, _call, record) => {
        if (!record) throw notFound('suppression');
        return { suppression: suppressionAt(record, clock()) };
      },
    }),
    ListSuppressions: adminMethod(suppression.methods.ListSuppressions, {
      async run({ page_size }, { pageAfter, nextPageToken }) {
        const now = clock();
        const { items, next } = await suppressions.list(pageAfter, page_size);
        return { suppressions: items.map((record) => suppressionAt(record, now)), next_page_token: await nextPageToken(next) };
      },
    }),
    ClearBounceSuppression: adminMethod(suppression.methods.ClearBounceSuppression, {
      prefetch: find,
      run: ({ recipient }, { audit }, found) =>
        clear(found, recipient, { change: withBouncesCleared, levelOf: (record, now) => suppressionAt(record, now).bounce }, audit),
    }),
    ClearComplaintSuppression: adminMethod(suppression.methods.ClearComplaintSuppression, {
      prefetch: find,
      run: ({ recipient, message_class: messageClass }, { audit }, found) => {
        const key = messageClass.toLowerCase() as 'transactional' | 'mailing_list' | 'bulk';
        return clear(found, recipient, {
          change: (record, now) => withComplaintsCleared(record, messageClass, now), levelOf: (record, now) => suppressionAt(record, now).complaints[key],
        }, audit);
      },
    }),
  };
};
