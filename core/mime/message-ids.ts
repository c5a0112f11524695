import type { LastFields } from './header-fields.ts';
import { asMessageIds } from './header-forms.ts';
import { parseLimits } from './parse-limits.ts';
import { OctetBudget, storedOctets } from './text-limits.ts';

/** Octets of a message id in a record, in addition to its text. */
const messageIdOverhead = 8;

/** A Message-ID without its brackets. */
export const bareMessageId = (messageId: string): string => messageId.trim().replace(/^<|>$/g, '').trim();

/**
 * The message ids of a field, up to the limits. They are taken alternately from both ends of the list, because the
 * first id started the thread and the last one is the message to which this one replies. Undefined when the field has
 * none.
 */
export const parseMessageIds = (fields: LastFields, name: string): string[] | undefined => {
  const field = fields.get(name);
  const ids = field && asMessageIds(field)?.filter((id) => storedOctets(id) <= parseLimits.messageId);
  if (!ids?.length) return undefined;
  const budget = new OctetBudget(parseLimits.messageIdList);
  const [front, back]: [string[], string[]] = [[], []];
  for (let low = 0, high = ids.length - 1; low <= high;) {
    const isFromBack = back.length <= front.length;
    const id = isFromBack ? ids[high]! : ids[low]!;
    if (!budget.take(storedOctets(id) + messageIdOverhead)) break;
    if (isFromBack) high -= 1;
    else low += 1;
    (isFromBack ? back : front).push(id);
  }
  return [...front, ...back.toReversed()];
};

/** The message ids of a message, by the JMAP name of their header field. */
type MessageIds = { readonly messageId?: readonly string[]; readonly inReplyTo?: readonly string[]; readonly references?: readonly string[] };

/**
 * The ids by which the Thread of a message is found (RFC 8621 §3), without duplicates: its own Message-ID, then
 * In-Reply-To, then References beginning with the closest message. A truncated chain keeps its first reference, because
 * all messages of the Thread may share it.
 */
export const threadMessageIds = ({ messageId = [], inReplyTo = [], references = [] }: MessageIds): string[] => {
  const threadStart = references.slice(0, 1);
  const nearest = [...new Set([...messageId.slice(0, 2), ...inReplyTo.slice(0, 4), ...references.toReversed()])];
  if (nearest.length <= parseLimits.threadMessageIds) return nearest;
  return [...new Set([...nearest.slice(0, parseLimits.threadMessageIds - threadStart.length), ...threadStart])];
};
