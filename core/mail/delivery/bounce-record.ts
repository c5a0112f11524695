import { createHash } from 'node:crypto';
import { mailKeys } from '../../../contract/deployment/keys.ts';
import { rowOf, type Item, type Key } from '../../storage/table.ts';

/** The key of the record of a bounced recipient in the mail table. @param messageId SES's id of the bounced message. */
export const bounceKey = (messageId: string, recipient: string): Key => mailKeys.bounce(messageId, createHash('sha256').update(recipient).digest('base64url'));

/** The outcome of a bounce. */
export type BounceState = { readonly state: 'due' } | { readonly state: 'sent'; readonly at: Date } | { readonly state: 'given up'; readonly why: string };

type BounceRow = { readonly state: 'sending' } | { readonly state: 'sent'; readonly since: number } | { readonly state: 'given up'; readonly why: string };

/** The state of a bounce by its record. A bounce that no attempt has handled yet has no record. */
export const bounceStateOf = (record: Item | undefined): BounceState => {
  const row = record && rowOf<BounceRow>(record);
  if (row?.state === 'sent') return { state: 'sent', at: new Date(row.since * 1000) };
  return row?.state === 'given up' ? { state: 'given up', why: row.why } : { state: 'due' };
};
