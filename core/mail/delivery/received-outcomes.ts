import { headKey } from '../../account-log/keys.ts';
import { findItemIn, type FindItem, type Key, type Table } from '../../storage/table.ts';
import { emailIdOf, messageKey } from '../email/blob-id.ts';
import { emailKey } from '../email/email-content.ts';
import { bounceKey, bounceStateOf } from './bounce-record.ts';
import type { ReceivedEntry, ReceivedMessage } from './received-message.ts';

/** The outcome of a message for one recipient (contract/admin/received-mail.ts). */
export type Outcome =
  | 'delivered'
  | 'junk'
  | 'duplicate'
  | 'group'
  | 'forwarded'
  | 'copied'
  | 'waits'
  | 'bounce-due'
  | 'bounced'
  | 'dropped'
  | 'in-progress'
  | 'account-removed'
  | 'not-known';

export type RecipientOutcome = {
  readonly address: string;
  readonly entry: ReceivedEntry;
  readonly outcome: Outcome;
  /** The id of the Email, if the account has or had it. */
  readonly emailId?: string;
  /** The time of the bounce. */
  readonly at?: Date;
  /** The reason why the message was dropped. */
  readonly reason?: string;
};

/** The longest time for which a message waits, is in the queue, or is a dead letter, in milliseconds. */
const longestDelivery = 30 * 86_400_000;

/** The id of the message's Email in an account. */
export const emailIdIn = (account: string, { sesMessageId }: ReceivedMessage): string => emailIdOf(messageKey(account, sesMessageId));

const keysOf = (message: ReceivedMessage): readonly Key[] => {
  const entries = Object.entries(message.recipients);
  const accounts = entries.flatMap(([, { account }]) => account ?? []);
  return [
    ...accounts.map(headKey),
    ...accounts.map((account) => emailKey(account, emailIdIn(account, message))),
    ...entries.flatMap(([address, { bounce, given = address }]) => (bounce === undefined ? [] : [bounceKey(message.sesMessageId, given)])),
  ];
};

/** The outcome of an entry without an account or with a bounce. */
const outcomeWithoutEmail = ({ bounce, dropped, sent, given, group, isSentOn }: ReceivedEntry, address: string, message: ReceivedMessage, find: FindItem) => {
  if (bounce !== undefined) {
    const record = bounceStateOf(find(bounceKey(message.sesMessageId, given ?? address)));
    if (record.state === 'given up') return { outcome: 'dropped', reason: record.why } as const;
    return record.state === 'sent' ? ({ outcome: 'bounced', at: record.at } as const) : ({ outcome: 'bounce-due' } as const);
  }
  if (dropped !== undefined) return { outcome: 'dropped', reason: dropped } as const;
  if (isSentOn) return { outcome: 'forwarded' } as const;
  if (group !== undefined) return { outcome: 'group' } as const;
  return { outcome: sent ? 'copied' : 'in-progress' } as const;
};

const outcomeInAccount = (account: string, entry: ReceivedEntry, message: ReceivedMessage, find: FindItem, now: Date) => {
  const emailId = emailIdIn(account, message);
  if (find(emailKey(account, emailId))) {
    if (entry.isSentOn) return { emailId, outcome: 'forwarded' } as const;
    return { emailId, outcome: entry.copyOf !== undefined ? 'copied' : message.isJunk ? 'junk' : 'delivered' } as const;
  }
  if (!find(headKey(account))) return { outcome: 'account-removed' } as const;
  if (now.getTime() - Date.parse(message.at) > longestDelivery) return { outcome: 'not-known' } as const;
  return { outcome: entry.next === undefined ? 'in-progress' : 'waits' } as const;
};

const outcomesOf = (message: ReceivedMessage, find: FindItem, now: Date): readonly RecipientOutcome[] => {
  const holders = new Set<string>();
  return Object.entries(message.recipients)
    .toSorted(([, one], [, other]) => one.n - other.n)
    .map(([address, entry]) => {
      const { account, bounce, dropped } = entry;
      if (account === undefined || bounce !== undefined || dropped !== undefined) {
        return { address, entry, ...outcomeWithoutEmail(entry, address, message, find) };
      }
      const found = outcomeInAccount(account, entry, message, find, now);
      const isSecond = found.emailId !== undefined && holders.has(account);
      holders.add(account);
      return { address, entry, ...found, ...(isSecond && { outcome: 'duplicate' }) } as const;
    });
};

/**
 * Finds what became of messages for each recipient, in one BatchGet. The records of messages do not state it, because
 * they are written at the same time as the Emails: the account has the Email, or its tombstone, if the message was
 * delivered. So a record is true even if the Lambda was interrupted, and a delivery takes no further trip. Of the
 * recipients with the same account, the first has the Email, and the others are duplicates.
 */
export const findOutcomes = async (
  table: Pick<Table, 'batchGet'>,
  messages: readonly ReceivedMessage[],
  now: Date,
): Promise<readonly (readonly RecipientOutcome[])[]> => {
  const find = findItemIn(await table.batchGet(messages.flatMap(keysOf)));
  return messages.map((message) => outcomesOf(message, find, now));
};
