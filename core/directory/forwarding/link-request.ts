import { isObject } from '../../../contract/jmap/data-type.ts';
import type { Queue } from '../../runtime/lambda/queue.ts';
import { addressesToAsk, type StoredForwarding } from './forwardings.ts';

/** A record of the inbound queue: links are due for addresses outside of the account's forwarding. */
export type LinkRequest = { readonly accountId: string };

/** Checks the content of a queue record. The JMAP Lambda, which sends such records, needs no zod. @throws Error */
export const parseLinkRequest = (content: unknown): LinkRequest => {
  const accountId = isObject(content) && content['accountId'];
  if (typeof accountId !== 'string') throw new Error('a request for links has no accountId');
  return { accountId };
};

/** Requests the links that are due for a forwarding that was just stored. */
export const requestLinks = async (forwarding: StoredForwarding | undefined, now: Date, queue: Queue): Promise<void> => {
  if (!forwarding || addressesToAsk(forwarding, now).length === 0) return;
  await queue.send({ kind: 'forwarding-links', links: { accountId: forwarding.account_id } satisfies LinkRequest });
};
