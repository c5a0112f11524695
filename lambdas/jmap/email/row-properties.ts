import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { EmailRow } from '../../../core/mail-types/email/email-content.ts';

/** A UTCDate, which omits a fraction of zero (RFC 8620 §1.4). */
const utcDate = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('.000Z', 'Z');

const setOf = (members: readonly string[]): JsonObject => Object.fromEntries(members.map((member) => [member, true]));

/** The properties of an Email that its row contains. They need no read, because rows are in memory. */
export const rowProperties: { readonly [property: string]: (row: EmailRow) => unknown } = {
  id: ({ id }) => id,
  threadId: ({ threadId }) => threadId,
  mailboxIds: ({ mailboxIds }) => setOf(mailboxIds),
  keywords: ({ keywords }) => setOf(keywords),
  size: ({ size }) => size,
  receivedAt: ({ receivedAt }) => utcDate(receivedAt),
};
