import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { email } from '../../../contract/jmap/email.ts';
import type { QuotaAmounts } from '../../../contract/jmap/quota.ts';
import type { VerbArguments } from '../../../contract/jmap/record.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import type { EmailRow } from '../../../core/mail/email/email-content.ts';
import type { NewEmail } from '../../../core/mail/email/email-store.ts';
import { newEmailRow } from '../../../core/mail/email/email-threads.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { QuotaRoom, revalidateQuota } from '../../../core/mail/quota/account-quota.ts';
import { checkState } from '../request/account-commit.ts';
import type { AccountChangeSet, BehaviourOf, PreparedSet } from '../request/behaviour.ts';
import { SetError } from '../request/jmap-errors.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { checkRow } from './check-row.ts';
import { composeEmails, newEmailIds } from './compose-emails.ts';
import { planEmailReads } from './get.ts';
import { emailSelection, readEmails, contentValues, rowProperties } from './read-emails.ts';

const sortedMembers = (set: object | undefined, before: readonly string[]): readonly string[] => (set === undefined ? before : Object.keys(set).toSorted());

const isSameSet = (one: readonly string[], other: readonly string[]): boolean => one.length === other.length && one.every((member) => other.includes(member));

/** The inputs of a change set of Emails. */
type PreparedEmails = {
  /** The current values of the immutable properties in updates, by id. */
  readonly immutableValues: ReadonlyMap<string, JsonObject>;
  /** The new Emails by id. Their messages are stored. */
  readonly newEmails: ReadonlyMap<string, NewEmail>;
  /** The errors of Emails that can't be created, by the ids that were reserved for them. */
  readonly failedCreates: ReadonlyMap<string, SetError>;
  readonly quotaDefaults: QuotaAmounts;
};

const rowValues = (row: EmailRow): JsonObject => Object.fromEntries(Object.entries(rowProperties).map(([property, read]) => [property, read(row)]));

/** The properties that Email/get returns by default for a new Email, except its Thread, which the commit finds. */
const newEmailValues = (created: NewEmail): JsonObject => {
  const { threadId: _threadId, ...row } = rowValues(newEmailRow(created, '', created.mailboxIds));
  return { ...row, ...contentValues(created.content) };
};

/** The changes of an Email/set (RFC 8621 §4.6). */
const emailChangeSet = (view: AccountView, { immutableValues, newEmails, failedCreates, quotaDefaults }: PreparedEmails): AccountChangeSet<typeof email> => {
  const room = new QuotaRoom(view, quotaDefaults);
  const created = new Map<string, NewEmail>();
  const changed = new Map<string, EmailRow>();
  const destroyed = new Set<string>();
  const currentRow = (id: string) => (destroyed.has(id) ? undefined : (changed.get(id) ?? emailsOf(view).get(id)));
  return {
    current: (id) => {
      const newEmail = created.get(id);
      if (newEmail) return newEmailValues(newEmail);
      const row = currentRow(id);
      return row && { ...immutableValues.get(id), ...rowValues(row) };
    },
    create: (id) => {
      const newEmail = newEmails.get(id);
      if (!newEmail) throw failedCreates.get(id)!;
      checkRow(view, newEmail);
      room.take(newEmail.size);
      created.set(id, newEmail);
    },
    update: (id, { mailboxIds, keywords }) => {
      const newEmail = created.get(id);
      if (newEmail) {
        const after = { ...newEmail, mailboxIds: sortedMembers(mailboxIds, newEmail.mailboxIds), keywords: sortedMembers(keywords, newEmail.keywords) };
        checkRow(view, after);
        created.set(id, after);
        return;
      }
      const before = currentRow(id)!;
      const after = { ...before, mailboxIds: sortedMembers(mailboxIds, before.mailboxIds), keywords: sortedMembers(keywords, before.keywords) };
      checkRow(view, after);
      const stored = emailsOf(view).get(id)!;
      if (isSameSet(after.mailboxIds, stored.mailboxIds) && isSameSet(after.keywords, stored.keywords)) changed.delete(id);
      else changed.set(id, after);
    },
    destroy: (id) => {
      room.release((created.get(id) ?? currentRow(id)!).size);
      changed.delete(id);
      if (!created.delete(id)) destroyed.add(id);
    },
    commit: () =>
      created.size + changed.size + destroyed.size === 0
        ? undefined
        : {
            records: { Email: { create: [...created.values()], put: [...changed.values()], destroy: [...destroyed] } },
            revalidateRemaining: revalidateQuota(quotaDefaults),
          },
  };
};

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
const readImmutableValues = async (updatedProperties: ReadonlyMap<string, ReadonlySet<string>>, account: OpenAccount, context: RequestContext) => {
  const isImmutable = (property: string) => Object.hasOwn(email.properties, property) && !Object.hasOwn(rowProperties, property);
  const ids = [...updatedProperties].filter(([id, names]) => [...names].some(isImmutable) && emailsOf(account.view).get(id)).map(([id]) => id);
  const properties = new Set([...updatedProperties.values()].flatMap((names) => [...names]).filter(isImmutable));
  if (ids.length === 0) return new Map<string, JsonObject>();
  const args = { ...defaultGetArguments, accountId: account.accountId };
  planEmailReads(ids.length, emailSelection(new Set(properties), args), context.budget);
  const list = await readEmails(ids, new Set(['id', ...properties]), args, account, context);
  return new Map(list.map((values) => [String(values['id']), values]));
};

/** Stores the messages of the new Emails in an Email/set. */
const prepareEmails = async (
  create: NonNullable<VerbArguments<'set'>['create']>,
  immutableValues: ReadonlyMap<string, JsonObject>,
  account: OpenAccount,
  context: RequestContext,
): Promise<PreparedSet<typeof email>> => {
  const { quotaDefaults, newId } = context.dependencies;
  const composed = await composeEmails(create, account, context);
  const newIds = newEmailIds(composed, newId);
  const byId = <Value>(values: ReadonlyMap<string, Value>) => new Map([...values].map(([creationId, value]) => [newIds.get(creationId)!, value]));
  const prepared = { immutableValues, newEmails: byId(composed.emails), failedCreates: byId(composed.failed), quotaDefaults };
  return {
    beginChangeSet: (view) => emailChangeSet(view, prepared),
    newIds,
    committedProperties: (id, view) => ({ threadId: emailsOf(view).get(id)?.threadId ?? null }),
  };
};

/** Email/set (RFC 8621 §4.6). */
export const emailSet: BehaviourOf<typeof email>['set'] = {
  prepareChangeSet: async (updatedProperties, args, account, context) => {
    checkState('ifInState', args.ifInState, account.view.state(email.name));
    const immutableValues = await readImmutableValues(updatedProperties, account, context);
    return prepareEmails(args.create ?? {}, immutableValues, account, context);
  },
};
