import { emailsOf } from '../../../core/mail-types/email/email-type.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { email } from '../../../contract/jmap/email.ts';
import type { VerbArguments } from '../../../contract/jmap/record.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { checkState } from '../request/account-commit.ts';
import type { BehaviourOf, PreparedSet } from '../request/behaviour.ts';
import { composeEmails, newEmailIds } from './compose-emails.ts';
import { emailCopy } from './copy.ts';
import { emailChangeSet } from './set.ts';
import { emailQuery } from './query.ts';
import { importEmails } from './import.ts';
import { parseEmails } from './parse.ts';
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

/** The current values of immutable properties that updates contain. An update may repeat them (RFC 8620 §5.3). */
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

/** Stores the messages of the new Emails in an Email/set. */
const prepareEmails = async (
  create: NonNullable<VerbArguments<'set'>['create']>, immutableValues: ReadonlyMap<string, JsonObject>, account: OpenAccount,
  context: RequestContext,
): Promise<PreparedSet> => {
  const { quotaDefaults, newId } = context.dependencies;
  const composed = await composeEmails(create, account, context);
  const newIds = newEmailIds(composed, newId);
  const byId = <Value>(values: ReadonlyMap<string, Value>) =>
    new Map([...values].map(([creationId, value]) => [newIds.get(creationId)!, value]));
  const prepared = { immutableValues, newEmails: byId(composed.emails), failedCreates: byId(composed.failed), quotaDefaults };
  return {
    beginChangeSet: (view) => emailChangeSet(view, prepared),
    newIds,
    committedProperties: (id, view) => ({ threadId: emailsOf(view).get(id)?.threadId ?? null }),
  };
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
    prepareChangeSet: async (updatedProperties, args, account, context) => {
      checkState('ifInState', args.ifInState, account.view.state(email.name));
      const immutableValues = await readImmutableValues(updatedProperties, account, context);
      return prepareEmails(args.create ?? {}, immutableValues, account, context);
    },
  },
  copy: emailCopy,
  'Email/import': importEmails,
  'Email/parse': parseEmails,
};
