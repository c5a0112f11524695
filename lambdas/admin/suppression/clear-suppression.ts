import type { Suppression } from '../../../contract/admin/suppression.ts';
import { changesBetween, type Audit } from '../../../core/rpc/audit.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { suppressionAt, type SuppressionRecord } from '../../../core/sending/feedback/suppression-rules.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';

export type ClearingDependencies = { readonly suppressions: Pick<Suppressions, 'find' | 'update'>; readonly clock: Clock };

/** A kind of suppression: because of bounces, or because of complaints about one message class. */
export type SuppressionKind = {
  readonly clear: (record: SuppressionRecord, now: Date) => SuppressionRecord;
  readonly levelOf: (suppression: Suppression) => string;
};

/**
 * Clears one kind of suppression of a recipient, with the old and the new level in the audit entry.
 * @param prefetched the record, which was just read. `suppressions.update` reads it again if it has changed since.
 * @throws RpcError not_found, aborted.
 */
export const clearSuppression = async (
  { suppressions, clock }: ClearingDependencies,
  recipient: string,
  prefetched: SuppressionRecord | undefined,
  { clear, levelOf }: SuppressionKind,
  audit: Audit,
): Promise<Suppression> => {
  const now = clock();
  audit.describe({ entity_id: recipient, entity_name: recipient });
  const cleared = await suppressions.update(
    recipient,
    prefetched,
    (record) => clear(record, now),
    (before, after) => {
      const [oldLevel, newLevel] = [before, after].map((record) => levelOf(suppressionAt(record, now)));
      audit.describe({ changes: changesBetween({ level: oldLevel }, { level: newLevel }, ['level']) });
      return audit.successWrites();
    },
  );
  return suppressionAt(cleared, now);
};
