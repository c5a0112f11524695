/**
 * The prefix of each kind of id. An id is `<prefix>_` and 21 characters of `A-Za-z0-9_-`
 * (docs/specification.md#messages).
 */
export const idPrefixes = {
  domain: 'dom',
  user: 'user',
  account: 'acc',
  alias: 'alias',
  group: 'group',
  identity: 'identity',
  submission: 'submission',
  feedback: 'feedback',
  audit: 'audit',
  changeRequest: 'cr',
  changeRequestEvent: 'cre',
  supportCase: 'case',
  /** The id of a received message is longer: it names the record. */
  received: 'rcv',
} as const;
export type IdKind = keyof typeof idPrefixes;

/** Whether an id has the prefix of the kind. */
export const isIdOf = (kind: IdKind, id: string): boolean => id.startsWith(`${idPrefixes[kind]}_`);

/** Characters after the prefix. */
export const idLength = 21;
