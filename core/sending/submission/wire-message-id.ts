import { referenceItem, referenceKey } from '../../mail/email/email-content.ts';
import type { TableReference, Write } from '../../storage/table.ts';
import { headerSummary } from './original-header.ts';
import type { Submission } from './submission.ts';

/** The Message-ID of a message that SES has sent, without brackets: SES's id at a domain of the region. */
export const wireMessageId = (providerMessageId: string, region: string): string =>
  `${providerMessageId}@${region === 'us-east-1' ? 'email' : region}.amazonses.com`;

export type WireReferences = {
  readonly region: string;
  /** The mail table, which has the references of accounts to their Threads. */
  readonly mailTable: TableReference;
};

/**
 * The writes that make replies to the sent message join the Thread of its Email, even if the Email is destroyed. Empty
 * for mail without a Thread.
 */
export const wireReferences = (
  { account_id: accountId, thread_id: threadId, header }: Submission,
  providerMessageIds: readonly string[],
  { region, mailTable }: WireReferences,
): readonly Write[] => {
  if (accountId === undefined || threadId === undefined) return [];
  const { baseSubject } = headerSummary(header);
  return providerMessageIds.map((id) => ({
    put: referenceItem(referenceKey(accountId, wireMessageId(id, region), baseSubject), threadId),
    inTable: mailTable,
  }));
};
