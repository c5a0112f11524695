import { comparableAddress, domainOf } from '../../../contract/values/mail-address.ts';
import type { Page } from '../../storage/page.ts';
import { headerSummary } from './original-header.ts';
import { messageIdKey, type SentMailEntry, type SentMailIndex } from './sent-mail-index.ts';
import { providerMessageIds } from './submission.ts';
import type { FoundSubmission, Submissions } from './submissions.ts';

/** A filter of submissions. Times are RFC 3339 in UTC. */
export type SentFilter = {
  /** The sender or a recipient of the envelope. */
  readonly address?: string | undefined;
  /** The domain of the sender or of a recipient, in lower case with A-labels. */
  readonly domain?: string | undefined;
  /** The Message-ID of the client or of SES, or SES's id. */
  readonly messageId?: string | undefined;
  readonly submissionId?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

export type SentMailReads = { readonly sentMail: Pick<SentMailIndex, 'find'>; readonly submissions: Pick<Submissions, 'find' | 'findAll' | 'findNewest'> };

/** Maximum submissions that one page reads. */
const maxRead = 1000;
/** Maximum submissions that are read together. */
const readTogether = 100;

/** The positions of all submissions are before this one. */
const end = '9000-01-01T00:00:00.000Z';

/** The position that no submission before a time has reached, whether its position has milliseconds or not. */
const positionAfter = (time: string): string => new Date(Date.parse(time) + 1000).toISOString();

const addressesOf = ({ submission, parts }: FoundSubmission): readonly string[] =>
  [submission.mail_from, ...parts.flatMap(({ recipients }) => recipients.map(({ address }) => address))].map(comparableAddress);

const hasMessageId = ({ submission, parts }: FoundSubmission, messageId: string): boolean =>
  [headerSummary(submission.header).messageId ?? '', ...parts.flatMap(providerMessageIds)].includes(messageIdKey(messageId));

const matches = (found: FoundSubmission, { address, domain, messageId, since, until }: SentFilter): boolean => {
  const sendAt = Date.parse(found.submission.send_at);
  return (
    (address === undefined || addressesOf(found).includes(comparableAddress(address))) &&
    (domain === undefined || addressesOf(found).some((each) => domainOf(each) === domain)) &&
    (messageId === undefined || hasMessageId(found, messageId)) &&
    (since === undefined || sendAt >= Date.parse(since)) &&
    (until === undefined || sendAt < Date.parse(until))
  );
};

/** The entries before a position, newest first: of the Message-ID, else of the address, else of all mail. */
const findEntries = (
  { address, messageId }: SentFilter,
  before: string,
  limit: number,
  { sentMail, submissions }: SentMailReads,
): Promise<readonly SentMailEntry[]> => {
  if (messageId !== undefined) return sentMail.find({ message_id: messageId }, before, limit);
  return address === undefined ? submissions.findNewest(before, limit) : sentMail.find({ address }, before, limit);
};

/**
 * Finds submissions, newest first by `send_at`, and stops after {@link maxRead} of them.
 * @param before the position of the page.
 * @param select the wanted form of a submission that matches the filter; undefined when it is not wanted.
 */
export const findSentMessages = async <T>(
  filter: SentFilter,
  before: string | undefined,
  size: number,
  select: (found: FoundSubmission) => T | undefined,
  reads: SentMailReads,
): Promise<Page<T>> => {
  const selected = (found: FoundSubmission | undefined): T | undefined => (found && matches(found, filter) ? select(found) : undefined);
  if (filter.submissionId !== undefined) {
    const only = selected(await reads.submissions.find(filter.submissionId));
    return { items: only === undefined ? [] : [only], next: undefined };
  }
  const items: T[] = [];
  let position = [before, filter.until && positionAfter(filter.until), end].filter((each) => each !== undefined).toSorted()[0]!;
  let limit = size + 1;
  for (let read = 0; read < maxRead; read += limit, limit = readTogether) {
    const entries = await findEntries(filter, position, limit, reads);
    const found = await reads.submissions.findAll(entries);
    for (const entry of entries) {
      if (filter.since !== undefined && positionAfter(entry.position.split('#', 1)[0]!) <= filter.since) return { items, next: undefined };
      const item = selected(found.get(entry.id));
      if (item !== undefined && items.length === size) return { items, next: position };
      if (item !== undefined) items.push(item);
      position = entry.position;
    }
    if (entries.length < limit) return { items, next: undefined };
  }
  return { items, next: position };
};
