import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { email } from '../../../contract/jmap/email.ts';
import type { OpenAccount, RequestContext } from '../request-context.ts';
import type { BehaviourOf } from '../verbs/behaviour.ts';
import { emailDraft } from './email-draft.ts';
import { emailQuery } from './email-query.ts';
import { importEmails } from './import-emails.ts';
import { parseEmails } from './parse-emails.ts';
import { planEmailReads } from './plan-email-reads.ts';
import { readEmails, emailSelection } from './read-emails.ts';
import { rowProperties } from './row-properties.ts';

const defaultGetArguments = {
  ids: null,
  properties: null,
  bodyProperties: null,
  fetchTextBodyValues: false,
  fetchHTMLBodyValues: false,
  fetchAllBodyValues: false,
  maxBodyValueBytes: 0,
} as const;

/**
 * The values of immutable properties that updates contain. A client may send their current values (RFC 8620 §5.3), so
 * they are compared.
 */
const readImmutableValues = async (
  updatedProperties: ReadonlyMap<string, ReadonlySet<string>>,
  account: OpenAccount,
  context: RequestContext,
) => {
  const isImmutable = (property: string) => Object.hasOwn(email.properties, property) && !Object.hasOwn(rowProperties, property);
  const ids = [...updatedProperties].filter(([id, names]) => [...names].some(isImmutable) && emailsOf(account.view).get(id))
    .map(([id]) => id);
  const properties = new Set([...updatedProperties.values()].flatMap((names) => [...names]).filter(isImmutable));
  if (ids.length === 0) return new Map<string, JsonObject>();
  const args = { ...defaultGetArguments, accountId: account.accountId };
  planEmailReads(ids.length, emailSelection(new Set(properties), args), context.budget);
  const list = await readEmails(ids, new Set(['id', ...properties]), args, account, context);
  return new Map(list.map((values) => [values['id'] as string, values]));
};

export const emailBehaviour: BehaviourOf<typeof email> = {
  get: {
    checkArguments: (args, properties) => void emailSelection(properties, args),
    records(args, account, context) {
      const emails = emailsOf(account.view);
      return {
        size: emails.size,
        ids: () => emails.ids(),
        has: (id) => emails.has(id),
        planReads: (count, properties) => planEmailReads(count, emailSelection(properties, args), context.budget),
        read: (ids, properties) => readEmails(ids, properties, args, account, context),
      };
    },
  },
  changes: {},
  query: emailQuery,
  set: {
    createForbidden: 'This server does not support the creation of Emails.',
    prepareDraft: async (updatedProperties, _args, account, context) => {
      const immutableValues = await readImmutableValues(updatedProperties, account, context);
      return (view) => emailDraft(view, immutableValues);
    },
  },
  'Email/import': importEmails,
  'Email/parse': parseEmails,
};
