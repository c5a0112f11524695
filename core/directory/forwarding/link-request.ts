import { z } from 'zod';
import type { Queue } from '../../runtime/lambda/queue.ts';
import { addressesToAsk, type StoredForwarding } from './forwardings.ts';

const linkRequest = z.object({ accountId: z.string() });

/** A record of the inbound queue: links are due for addresses outside of the account's forwarding. */
export type LinkRequest = z.output<typeof linkRequest>;

/** Checks the content of a queue record. @throws ZodError */
export const parseLinkRequest = (content: unknown): LinkRequest => linkRequest.parse(content);

/** Requests the links that are due for a forwarding that was just stored. */
export const requestLinks = async (forwarding: StoredForwarding | undefined, now: Date, queue: Queue): Promise<void> => {
  if (!forwarding || addressesToAsk(forwarding, now).length === 0) return;
  await queue.send({ kind: 'forwarding-links', links: { accountId: forwarding.account_id } satisfies LinkRequest });
};
