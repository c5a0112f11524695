import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { email } from '../../../contract/jmap/email.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';
import type { BehaviourOf } from '../verbs/behaviour.ts';
import { emailDraft } from './email-draft.ts';
import { emailQuery } from './email-query.ts';
import { readEmails, emailSelection } from './read-emails.ts';
import { rowProperties } from './row-properties.ts';

const defaultGetArguments = {
  ids: null, properties: null, bodyProperties: null, fetchTextBodyValues: false, fetchHTMLBodyValues: false, fetchAllBodyValues: false, maxBodyValueBytes: 0,
} as const;

/** The values that updates name although they can't change them: a client may send back what it was given (RFC 8620 §5.3). */
const readImmutableValues = async (mentioned: ReadonlyMap<string, ReadonlySet<string>>, account: OpenAccount, context: RequestContext) => {
  const isFixed = (property: string) => Object.hasOwn(email.properties, property) && !Object.hasOwn(rowProperties, property);
  const ids = [...mentioned].filter(([id, names]) => [...names].some(isFixed) && emailsOf(account.view).get(id)).map(([id]) => id);
  const properties = new Set([...mentioned.values()].flatMap((names) => [...names]).filter(isFixed));
  if (ids.length === 0) return new Map<string, JsonObject>();
  const list = await readEmails(ids, new Set(['id', ...properties]), { ...defaultGetArguments, accountId: account.accountId }, account, context);
  return new Map(list.map((shown) => [shown['id'] as string, shown]));
};

export const emailBehaviour: BehaviourOf<typeof email> = {
  get: {
    checkArguments: (args, properties) => void emailSelection(properties, args),
    records(args, account, context) {
      const emails = emailsOf(account.view);
      return { size: emails.size, ids: () => emails.ids(), has: (id) => emails.has(id), read: (ids, properties) => readEmails(ids, properties, args, account, context) };
    },
  },
  changes: {},
  query: emailQuery,
  set: {
    createForbidden: 'This server does not create Emails here: they arrive by mail.',
    prepareDraft: async (mentioned, _args, account, context) => {
      const fixed = await readImmutableValues(mentioned, account, context);
      return (view) => emailDraft(view, fixed);
    },
  },
};
