import { createHash } from 'node:crypto';
import type { MailFeedback } from '../../../contract/admin/mail-feedback.ts';
import { sendingKeys, sendingPartitions } from '../../../contract/deployment/keys.ts';
import { idLength, idPrefixes } from '../../../contract/values/ids.ts';
import { pageOf, type Page } from '../../storage/page.ts';
import { retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { contentOf, itemOf, WriteRefused, type Item, type Table, type Write } from '../../storage/table.ts';
import { withFeedback } from './suppression-rules.ts';
import { suppressionKey, suppressionOf, suppressionWrites } from './suppressions.ts';

/** A filter of feedback: one type or both, about mail of one sending identity, or about one recipient. */
export type MailFeedbackFilter = { readonly type: MailFeedback['type'] | undefined } | { readonly identity_id: string } | { readonly recipient: string };

/**
 * Bounces and complaints. A feedback has one item for each list that contains it, in the partitions `feedback#type`,
 * `feedback-identity#id` and `feedback-recipient#address`, under timestamp#id. So a page is one read, newest first.
 */
export type MailFeedbackStore = {
  /**
   * Stores a feedback and updates the recipient's suppression record, in one transaction. For a recipient whose mail
   * the deployment receives, a bounce is stored without suppression: the deployment itself sent the bounce, and may
   * accept the next mail.
   * @returns false when the feedback is stored already.
   */
  add(feedback: MailFeedback, now: Date): Promise<boolean>;
  list(filter: MailFeedbackFilter, after: string | undefined, size: number): Promise<Page<MailFeedback>>;
};

/** The id of the feedback about a recipient in an SES event. A duplicate of the event has the same id. */
export const mailFeedbackId = (sesFeedbackId: string, recipient: string): string =>
  `${idPrefixes.feedback}_${createHash('sha256').update(`${sesFeedbackId}\0${recipient}`).digest('base64url').slice(0, idLength)}`;

const partitionsOf = (filter: MailFeedbackFilter): string[] => {
  const { feedback, feedbackOfIdentity, feedbackOfRecipient } = sendingPartitions;
  if ('identity_id' in filter) return [feedbackOfIdentity(filter.identity_id)];
  if ('recipient' in filter) return [feedbackOfRecipient(filter.recipient)];
  return filter.type === undefined ? [feedback('BOUNCE'), feedback('COMPLAINT')] : [feedback(filter.type)];
};

/** One write for each list. The first one is refused when the feedback is stored already. */
const feedbackWrites = (feedback: MailFeedback): Write[] => {
  const { type, identity_id, recipient } = feedback;
  const [first, ...others] = [{ recipient }, { type }, { identity_id }]
    .flatMap(partitionsOf)
    .map((pk): Write & { put: Item } => ({ put: itemOf(sendingKeys.feedback(pk, feedback.timestamp, feedback.id), feedback) }));
  return first ? [{ ...first, if: { absent: true } }, ...others] : [];
};

const feedbackOf = contentOf<MailFeedback>;

/** @param receives whether the deployment receives mail for an address. Only `add` needs it. */
export const mailFeedbackIn = (table: Table, receives: (address: string) => Promise<boolean> = async () => false): MailFeedbackStore => ({
  add: (feedback, now) =>
    retryOnConflict(async () => {
      const [item, isOwnBounce] = await Promise.all([
        table.get(suppressionKey(feedback.recipient)),
        feedback.type === 'BOUNCE' && receives(feedback.recipient),
      ]);
      const known = item && suppressionOf(item);
      const next = isOwnBounce ? undefined : withFeedback(known, feedback, now);
      try {
        await table.write([...feedbackWrites(feedback), ...(next ? suppressionWrites(known, next) : [])]);
        return true;
      } catch (error) {
        if (error instanceof WriteRefused && error.failed.includes(0)) return false;
        throw error;
      }
    }),
  async list(filter, after, size) {
    const queries = partitionsOf(filter).map((pk) => table.query({ pk, before: after, descending: true, limit: size + 1 }));
    const items = (await Promise.all(queries)).flat().sort((one, other) => (one.sk < other.sk ? 1 : -1));
    return pageOf(items, size, feedbackOf);
  },
});
