import { parseLimits } from './parse-limits.ts';

/** The message ids of a message, as its record has them. */
type MessageIds = { readonly messageId?: readonly string[]; readonly inReplyTo?: readonly string[]; readonly references?: readonly string[] };

/**
 * The ids by which a message and its thread find each other (RFC 8621 §3), each once: its own, what it answers, then what it refers to with the
 * nearest first. A long chain keeps its beginning, which every message of the thread may have in common.
 */
export const threadMessageIds = ({ messageId = [], inReplyTo = [], references = [] }: MessageIds): string[] => {
  const beginning = references.slice(0, 1);
  const nearest = [...new Set([...messageId.slice(0, 2), ...inReplyTo.slice(0, 4), ...references.toReversed()])];
  if (nearest.length <= parseLimits.threadMessageIds) return nearest;
  return [...new Set([...nearest.slice(0, parseLimits.threadMessageIds - beginning.length), ...beginning])];
};
