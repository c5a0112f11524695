import { createHash } from 'node:crypto';
import type { MailFeedback } from '../../contract/admin/mail-feedback.ts';
import { idLength, idPrefixes } from '../../contract/ids.ts';
import { pageOf, type Page } from '../storage/page.ts';
import { retryOnConflict } from '../storage/retry-on-conflict.ts';
import { contentOf, WriteRefused, type Item, type Table, type Write } from '../storage/table.ts';
import { withFeedback } from './suppression-rules.ts';
import { suppressionKey, suppressionOf, suppressionWrites } from './suppressions.ts';

/** Which feedback: of a type or of both, of an identity's mail, of a recipient. */
export type MailFeedbackFilter = { readonly type: MailFeedback['type'] | undefined } | { readonly identity_id: string } | { readonly recipient: string };

/**
 * Bounces and complaints, kept once for each way they are asked for: `feedback#type`, `feedback-identity#id`, `feedback-recipient#address`, each
 * under timestamp#id, so that a page is one read, newest first.
 */
export type MailFeedbackStore = {
  /** Keeps it and what follows for the recipient, in one transaction. @returns false when it was known: then nothing changes. */
  add(feedback: MailFeedback, now: Date): Promise<boolean>;
  list(which: MailFeedbackFilter, after: string | undefined, size: number): Promise<Page<MailFeedback>>;
};

/** The same id for the same report about the same recipient, however often SES tells it. */
export const mailFeedbackId = (reportId: string, recipient: string): string =>
  `${idPrefixes.feedback}_${createHash('sha256').update(`${reportId}\0${recipient}`).digest('base64url').slice(0, idLength)}`;

const partitionsOf = (which: MailFeedbackFilter): string[] => {
  if ('identity_id' in which) return [`feedback-identity#${which.identity_id}`];
  if ('recipient' in which) return [`feedback-recipient#${which.recipient}`];
  return which.type === undefined ? ['feedback#BOUNCE', 'feedback#COMPLAINT'] : [`feedback#${which.type}`];
};

const writesOf = (feedback: MailFeedback): Write[] => {
  const { type, identity_id, recipient } = feedback;
  const [first, ...others] = [{ recipient }, { type }, { identity_id }].flatMap(partitionsOf)
    .map((pk): Write & { put: Item } => ({ put: { ...feedback, pk, sk: `${feedback.timestamp}#${feedback.id}` } as unknown as Item }));
  return first ? [{ ...first, if: { absent: true } }, ...others] : [];
};

const feedbackOf = (item: Item): MailFeedback => contentOf(item) as MailFeedback;

export const mailFeedbackIn = (table: Table): MailFeedbackStore => ({
  add: (feedback, now) => retryOnConflict(async () => {
    const item = await table.get(suppressionKey(feedback.recipient));
    const known = item && suppressionOf(item);
    const next = withFeedback(known, feedback, now);
    try {
      await table.write([...writesOf(feedback), ...(next ? suppressionWrites(known, next) : [])]);
      return true;
    } catch (error) {
      if (error instanceof WriteRefused && error.failed.includes(0)) return false;
      throw error;
    }
  }),
  async list(which, after, size) {
    const found = (await Promise.all(partitionsOf(which).map((pk) => table.query({ pk, before: after, descending: true, limit: size + 1 })))).flat();
    found.sort((one, other) => (one.sk < other.sk ? 1 : -1));
    return pageOf(found, size, feedbackOf);
  },
});
