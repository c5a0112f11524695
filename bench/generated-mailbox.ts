import { createHash } from 'node:crypto';
import { decodeHead, headAttributes } from '../core/account-log/head.ts';
import { headKey, recordKey } from '../core/account-log/keys.ts';
import { emailItem, emailPartitions, emailRowCodec, type EmailContent, type EmailRow } from '../core/mail-types/email/email-content.ts';
import type { Table } from '../core/storage/table.ts';

const name = (seed: string): string => createHash('sha256').update(seed).digest('base64url').slice(0, 22);

/**
 * For each of ten consecutive messages, the first message of its thread: six threads of one to three messages.
 */
const threadStarts = [0, 1, 1, 3, 4, 4, 4, 7, 8, 8] as const;
const threadStart = (number: number): number => number - number % 10 + threadStarts[number % 10]!;
/** Percentage of the messages in each mailbox; the rest is in the archive. */
const shares = { inbox: 50, sent: 15, trash: 5, junk: 5 } as const;

const words = 'mail store carries every message to its reader and never loses one on the way there or back again'.split(' ');
const sentence = (seed: number, length: number): string =>
  Array.from({ length }, (_, i) => words[(seed * 7 + i * 13) % words.length]).join(' ');

/**
 * The row of the message with this number: one message every ten minutes, three of four are read.
 * @param idOf the ids of Email and Thread without their first letter, by the number of the message.
 */
export const emailRow = (
  number: number, roles: Readonly<Record<string, string>>, idOf = (of: number): string => name(`email ${of}`),
): EmailRow => {
  const share = number * 37 % 100;
  let sum = 0;
  const role = Object.entries(shares).find(([, percent]) => (sum += percent) > share)?.[0] ?? 'archive';
  const receivedAt = Date.UTC(2021, 0, 1) + number * 600_000;
  return {
    id: `M${idOf(number)}`,
    threadId: `T${idOf(threadStart(number))}`,
    mailboxIds: [roles[role]!],
    keywords: [...(number % 10 === 0 ? ['$flagged'] : []), ...(number % 4 === 0 ? [] : ['$seen'])],
    receivedAt,
    sentAt: receivedAt - number % 120 * 1000,
    size: 2000 + number * 7919 % 60_000,
  };
};

/** The record of the message with this number: plain text and HTML, every fifth with an attachment. */
const recordOf = (number: number): EmailContent => {
  const part = (partId: string, type: string, start: number, size: number) =>
    ({
      partId,
      headers: { start: start - 90, end: start },
      range: { start, end: start + size },
      encoding: 'quoted-printable' as const,
      size,
      type,
      charset: 'utf-8',
    });
  const text = {
    type: 'multipart/alternative',
    size: 0,
    headers: { start: 0, end: 900 },
    subParts: [part('1', 'text/plain', 1000, 800), part('2', 'text/html', 2000, 4000)],
  };
  const pdf = {
    ...part('3', 'application/pdf', 7000, 30_000), encoding: 'base64' as const, name: 'Übersicht 2026.pdf', disposition: 'attachment',
  };
  return {
    id: `M${name(`email ${number}`)}`,
    blobId: `B${name(`email ${number}`)}`,
    messageId: [`${name(`id ${number}`)}@mail.example.net`],
    ...(number > threadStart(number)
      && { inReplyTo: [`${name(`id ${number - 1}`)}@mail.example.net`], references: [`${name(`id ${number - 1}`)}@mail.example.net`] }),
    from: [{ name: `Sender Number ${number % 97}`, email: `sender.${number % 97}@mail.example.net` }],
    to: [{ name: 'Alice Liddell', email: 'alice@example.test' }, { name: null, email: 'team@example.test' }],
    subject: sentence(threadStart(number), 7),
    sentAt: '2026-11-21T08:38:00+01:00',
    preview: sentence(number, 45).slice(0, 256),
    hasAttachment: number % 5 === 0,
    bodyStructure: number % 5 === 0 ? { type: 'multipart/mixed', size: 0, headers: { start: 0, end: 900 }, subParts: [text, pdf] } : text,
  };
};

export const rowItem = (accountId: string, row: EmailRow) => ({
  ...recordKey(accountId, emailPartitions.row, row.id), ...emailRowCodec.encode(row),
});

/**
 * Writes this many messages to an account, as after years of deliveries with a trimmed log.
 */
export const fillMailbox = async (table: Table, accountId: string, messages: number): Promise<void> => {
  const head = decodeHead((await table.get(headKey(accountId)))!);
  for (let first = 0; first < messages; first += 50) {
    const numbers = Array.from({ length: Math.min(50, messages - first) }, (_, i) => first + i);
    await table.write(numbers.flatMap((number) => [
      { put: rowItem(accountId, emailRow(number, head.roles)) },
      { put: emailItem(accountId, recordOf(number)) },
    ]));
  }
  const sequence = head.sequence + messages;
  const states = Object.fromEntries(Object.keys(head.states).map((type) => [type, sequence]));
  await table.write([{ update: headKey(accountId), set: { ...headAttributes({ ...head, sequence, states }), lowWater: sequence } }]);
};
