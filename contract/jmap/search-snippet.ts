import { capability } from './core.ts';
import type { CustomMethod } from './record.ts';

/** SearchSnippet/get (RFC 8621 §5.1). A SearchSnippet exists only in the response, without id and state. */
export const searchSnippetGet = {
  name: 'SearchSnippet/get',
  capability: capability.mail,
  permission: 'MAIL_READ',
  arguments: { accountId: { type: 'Id' }, filter: { type: { orNull: 'Object' } }, emailIds: { type: { list: 'Id' } } },
} as const satisfies CustomMethod;

/** A SearchSnippet (RFC 8621 §5): HTML with the matches in `<mark>`, or null when nothing matches. */
export type SearchSnippet = { readonly emailId: string; readonly subject: string | null; readonly preview: string | null };
