import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { readWeight, type FoundBlob } from '../../../core/blobs/account-blobs.ts';
import { noteUnparsedMessage } from '../../../core/mail/delivery/unparsed-messages.ts';
import { isMessage } from '../../../core/mime/message-header.ts';
import { parseMessage, type ParsedMessage } from '../../../core/mime/parse-message.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { MethodError } from '../request/jmap-errors.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requestWeight } from './header-reader.ts';

/** The octets of a blob, and their parsed message. `parsed` is undefined when they are not a message. */
export type ReadMessage = { readonly octets: Buffer; readonly parsed: ParsedMessage | undefined };

/** Maximum blobs that are read at the same time. */
const readsAtOnce = 8;

/** Counts blobs before they are looked up, including unknown ones. @throws MethodError requestTooLarge. */
const countMessages = (count: number, { budget }: RequestContext): void => {
  const { maxRawMessagesInRequest } = unadvertisedLimits;
  if (budget.spend('maxRawMessagesInRequest', count)) return;
  throw new MethodError('requestTooLarge', `A request may read at most ${maxRawMessagesInRequest} messages (maxRawMessagesInRequest).`);
};

/** Counts the octets of whole messages before any message is read. @throws MethodError requestTooLarge. */
const weighMessages = (blobs: readonly FoundBlob[], { budget }: RequestContext): void => {
  const { maxRawOctetsInRequest } = unadvertisedLimits;
  const octets = blobs.reduce((sum, blob) => sum + readWeight(blob, { start: 0, end: blob.size }) + requestWeight, 0);
  if (budget.spend('maxRawOctetsInRequest', octets)) return;
  throw new MethodError('requestTooLarge', `A request may read ${maxRawOctetsInRequest} octets of messages (maxRawOctetsInRequest). Send several requests.`);
};

/**
 * Reads and parses blobs as messages.
 * @returns the existing blobs, by blob id.
 * @throws MethodError requestTooLarge
 */
export const readMessages = async (accountId: string, blobIds: readonly string[], context: RequestContext): Promise<ReadonlyMap<string, ReadMessage>> => {
  const { blobs } = context.dependencies;
  countMessages(new Set(blobIds).size, context);
  const found = [...(await blobs.find(accountId, blobIds)).values()];
  weighMessages(found, context);
  const messages = await mapConcurrently(
    found,
    async (blob) => {
      const octets = await blobs.read(blob);
      if (!octets) return [];
      const parsed = parseMessage(octets);
      if (parsed.failure) await noteUnparsedMessage({ accountId, blobId: blob.blobId, failure: parsed.failure }, context.dependencies.unparsedMessages);
      return [[blob.blobId, { octets, parsed: isMessage(octets, parsed.email.bodyStructure) ? parsed : undefined }] as const];
    },
    { atOnce: readsAtOnce },
  );
  return new Map(messages.flat());
};
