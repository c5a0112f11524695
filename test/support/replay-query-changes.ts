import type { JsonObject } from '../../contract/jmap/data-type.ts';
import { email } from '../../contract/jmap/email.ts';
import { mailbox } from '../../contract/jmap/mailbox.ts';
import { verbArguments, type RecordType } from '../../contract/jmap/record.ts';
import type { AccountView } from '../../core/account-index/account-view.ts';
import type { MailStore } from '../../core/mail/mail-store/mail-store.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { emailSearch } from '../../core/search/email-search.ts';
import { emailQuery } from '../../lambdas/jmap/email/query.ts';
import { mailboxQuery } from '../../lambdas/jmap/mailbox/query.ts';
import { ResponseText } from '../../lambdas/jmap/request/api-response.ts';
import { decodeArguments } from '../../lambdas/jmap/request/method.ts';
import { requestBudget } from '../../lambdas/jmap/request/request-context.ts';
import { queryChanges } from '../../lambdas/jmap/request/standard-query-changes.ts';
import { query } from '../../lambdas/jmap/request/standard-query.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryObjects } from '../fakes/memory-objects.ts';
import { memoryTable } from '../fakes/memory-table.ts';

/** The parts of a /queryChanges response that change a list of ids (RFC 8620 §5.6). */
export type QueryChanges = { readonly removed: readonly string[]; readonly added: readonly { readonly id: string; readonly index: number }[] };

/**
 * Updates the query results of a client, as RFC 8620 §5.6 describes. A client may have only the first results, and then
 * gets the first of the new results: ids beyond the end of its list are unknown to it.
 * @throws Error when an added id is still in the list, or the indexes are not in ascending order.
 */
export const replayQueryChanges = (held: readonly string[], { removed, added }: QueryChanges): readonly string[] => {
  const gone = new Set(removed);
  const ids = held.filter((id) => !gone.has(id));
  let previous = -1;
  for (const { id, index } of added) {
    if (index <= previous) throw new Error(`the index ${index} comes after ${previous}`);
    if (ids.includes(id)) throw new Error(`${id} is added again`);
    if (index <= ids.length) ids.splice(index, 0, id);
    previous = index;
  }
  return ids;
};

const types = { Email: [email, emailQuery] as const, Mailbox: [mailbox, mailboxQuery] as const };

/** A query that is made without a JMAP request. */
export type StoreQuery = { readonly type: keyof typeof types; readonly args: JsonObject };

/** A search for queries without text conditions, which reads only the view. */
const withoutTexts = emailSearch({ table: memoryTable(), objects: memoryObjects(), log: memoryLog(), clock: systemClock });

const performQuery = async (store: MailStore, view: AccountView, { type, args }: StoreQuery, sinceQueryState?: string): Promise<JsonObject> => {
  const [contract, behaviour]: readonly [RecordType, unknown] = types[type];
  const verb = sinceQueryState === undefined ? 'query' : 'queryChanges';
  const { accountId } = view;
  const since = sinceQueryState === undefined ? {} : { sinceQueryState };
  const decoded = decodeArguments(verbArguments(contract, verb), { accountId, ...args, ...since });
  const context = { dependencies: { store, search: withoutTexts }, budget: requestBudget(), responseRoom: new ResponseText(undefined) };
  const account = { accountId, mayWrite: true, member: null, view };
  const handler = verb === 'query' ? query(contract, behaviour as never) : queryChanges(contract, behaviour as never);
  return handler(decoded as never, account, context as never);
};

/** The results of a query in a view, and their state. */
export type QueryResults = { readonly queryState: string; readonly ids: readonly string[] };

export const queryResults = async (store: MailStore, view: AccountView, wanted: StoreQuery): Promise<QueryResults> =>
  (await performQuery(store, view, wanted)) as QueryResults;

/** The results of a client that applies /queryChanges to its earlier results. */
export const followQuery = async (store: MailStore, view: AccountView, wanted: StoreQuery, { queryState, ids }: QueryResults) =>
  replayQueryChanges(ids, (await performQuery(store, view, wanted, queryState)) as unknown as QueryChanges);
