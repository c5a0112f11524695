import type { suppression } from '../../contract/admin/suppression.ts';
import type { Behaviours, Call } from '../platform/admin-pipe.ts';
import { changesBetween } from '../platform/audit.ts';
import type { Clock } from '../platform/clock.ts';
import { notFound } from '../platform/rpc-error.ts';
import { suppressionAt, withBouncesCleared, withComplaintsCleared, type SuppressionRecord } from '../store/sending/suppression-rules.ts';
import type { Suppressions } from '../store/sending/suppressions.ts';

export type SuppressionConnections = { readonly suppressions: Suppressions; readonly clock: Clock };

/** What /suppression does. */
export const suppressionMethods = ({ suppressions, clock }: SuppressionConnections): Behaviours<typeof suppression> => {
  /** The audit log is kept elsewhere than the record, so the entry is begun before the change. */
  const clear = async (recipient: string, change: (record: SuppressionRecord, now: Date) => SuppressionRecord, levelOf: (record: SuppressionRecord, now: Date) => { level: string }, audit: Call['audit']) => {
    const now = clock();
    audit.about({ entity_id: recipient, entity_name: recipient });
    await audit.begin();
    const { before, after } = await suppressions.change(recipient, (record) => change(record, now));
    audit.about({ changes: changesBetween(levelOf(before, now), levelOf(after, now), ['level']) });
    return { suppression: suppressionAt(after, now) };
  };

  return {
    async GetSuppression({ recipient }) {
      const record = await suppressions.find(recipient);
      if (!record) throw notFound('suppression');
      return { suppression: suppressionAt(record, clock()) };
    },
    async ListSuppressions({ page_size }, { pageAfter, nextPageToken }) {
      const now = clock();
      const { items, next } = await suppressions.list(pageAfter, page_size);
      return { suppressions: items.map((record) => suppressionAt(record, now)), next_page_token: await nextPageToken(next) };
    },
    ClearBounceSuppression: ({ recipient }, { audit }) =>
      clear(recipient, withBouncesCleared, (record, now) => suppressionAt(record, now).bounce, audit),
    ClearComplaintSuppression({ recipient, message_class: messageClass }, { audit }) {
      const key = messageClass.toLowerCase() as 'transactional' | 'mailing_list' | 'bulk';
      return clear(recipient, (record, now) => withComplaintsCleared(record, messageClass, now), (record, now) => suppressionAt(record, now).complaints[key], audit);
    },
  };
};
