/**
 * What AWS documents nowhere. The sandbox behaves in the stricter of the two ways, unless it is told otherwise
 * (docs/sandbox.md#what-nobody-documents).
 */
export const undocumentedNames = ['message-size', 'recipient-case', 'challenge-header', 'content-length', 'query-percent', 'query-semicolon'] as const;
export type UndocumentedName = (typeof undocumentedNames)[number];

export const behaviours = ['strict', 'lenient'] as const;
export type UndocumentedBehaviour = Record<UndocumentedName, (typeof behaviours)[number]>;

export const strictBehaviour = (): UndocumentedBehaviour => ({
  'message-size': 'strict',
  'recipient-case': 'strict',
  'challenge-header': 'strict',
  'content-length': 'strict',
  'query-percent': 'strict',
  'query-semicolon': 'strict',
});
