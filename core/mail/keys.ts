import { createHash } from 'node:crypto';
import type { Key } from '../storage/table.ts';

/** Kinds of item. A new one is removed with its account when it is listed here. */
export const kinds = ['log', 'row', 'email', 'mailbox', 'ref'] as const;
type Kind = (typeof kinds)[number];

/** Partitions are per account and kind of item, so that reading one kind never pays for another and no partition takes all the load. */
export const partitionOf = (accountId: string, kind: Kind): string => `${accountId}#${kind}`;

const key = (accountId: string, kind: Kind, sk: string): Key => ({ pk: partitionOf(accountId, kind), sk });

/** Sort key of the head: after every log item, so that one query for the newest log items brings the head at its end. */
const headName = 'HEAD';

/** Digits of a sequence number in a sort key. */
const sequenceDigits = 12;

export const headKey = (accountId: string): Key => key(accountId, 'log', headName);
export const isHeadKey = ({ sk }: Key): boolean => sk === headName;
/** The account of a head's key; undefined for the key of anything else. */
export const accountOfHead = ({ pk, sk }: Key): string | undefined => {
  const accountId = pk.slice(0, pk.lastIndexOf('#'));
  return sk === headName && pk === partitionOf(accountId, 'log') ? accountId : undefined;
};
export const logKey = (accountId: string, sequence: number): Key => key(accountId, 'log', String(sequence).padStart(sequenceDigits, '0'));
/** An Email's small, mutable half. */
export const rowKey = (accountId: string, emailId: string): Key => key(accountId, 'row', emailId);
/** An Email's large, immutable half, or what is left of it once it was destroyed. */
export const emailKey = (accountId: string, emailId: string): Key => key(accountId, 'email', emailId);
export const mailboxKey = (accountId: string, mailboxId: string): Key => key(accountId, 'mailbox', mailboxId);

/** Leads from a Message-ID and a base subject to the Thread that both belong to (RFC 8621 §3). */
export const referenceKey = (accountId: string, messageId: string, baseSubject: string): Key =>
  key(accountId, 'ref', createHash('sha256').update(JSON.stringify([messageId, baseSubject])).digest('base64url').slice(0, 32));
