import { referenceItem, referenceKey } from '../../mail-types/email/email-content.ts';
import type { TableReference, Write } from '../../storage/table.ts';
import { headerSummary } from './original-header.ts';
import type { Submission } from './submission.ts';

/**
 * The Message-ID of a message that SES sent, without its brackets. SES replaces the message's own by its id at a domain
 * that depends on the region.
 */
export const wireMessageId = (providerMessageId: string, region: string): string =>
  `${providerMessageId}@${region === 'us-east-1' ? 'email' : region}.amazonses.com`;

export type WireReferences = {
  readonly region: string;
  /** Has the references of accounts to their Threads. */
  readonly mailTable: TableReference;
};

/**
 * The writes by which replies to a message that SES sent join the Thread of the Email that was sent, also when that
 * Email is destroyed by now. A reference that an early reply left is replaced. None for mail without a Thread.
 */
export const wireReferences = (
  { account_id: accountId, thread_id: threadId, header }: Submission, providerMessageIds: readonly string[],
  { region, mailTable }: WireReferences,
): readonly Write[] => {
  if (accountId === undefined || threadId === undefined) return [];
  const { baseSubject } = headerSummary(header);
  return providerMessageIds.map((id) =>
    ({ put: referenceItem(referenceKey(accountId, wireMessageId(id, region), baseSubject), threadId), inTable: mailTable }));
};
