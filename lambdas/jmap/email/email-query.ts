import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { email } from '../../../contract/jmap/email.ts';
import type { EmailFilter } from '../../../core/mail/email/email-filter.ts';
import type { EmailSort } from '../../../core/mail/email/ordered-emails.ts';
import type { BehaviourOf, Comparator, Filter } from '../verbs/behaviour.ts';

type Condition = Exclude<EmailFilter, { readonly operator: string }>;

/** A decoded condition as the store takes it: times in milliseconds, keywords in lower case. */
const toStoreCondition = (given: JsonObject): Condition =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, toStoreValue(name, value)]));

const toStoreValue = (name: string, value: unknown): unknown => {
  if (name === 'before' || name === 'after') return Date.parse(value as string);
  return name.endsWith('Keyword') ? (value as string).toLowerCase() : value;
};

const toStoreFilter = (filter: Filter): EmailFilter =>
  ('operator' in filter
    ? { operator: filter.operator, conditions: filter.conditions.map(toStoreFilter) }
    : toStoreCondition(filter.condition));

/** A Comparator as the store takes it, with its keyword in lower case. */
const toStoreSort = ({ property, isAscending, arguments: { keyword } }: Comparator): EmailSort =>
  ({ property, isAscending, ...(typeof keyword === 'string' && { keyword: keyword.toLowerCase() }) }) as EmailSort;

/** Email/query and /queryChanges (RFC 8621 §4.4, §4.5). */
export const emailQuery: BehaviourOf<typeof email>['query'] = {
  matchingIds: (view, filter, sort, { collapseThreads }) =>
    emailsOf(view).query(filter && toStoreFilter(filter), sort.map(toStoreSort), collapseThreads),
  /** The other Emails of the Threads: another one may be the first that matches, or their Thread has other keywords. */
  affectedBy: (changed, view, { collapseThreads }, { ofThread }) =>
    (collapseThreads || ofThread ? emailsOf(view).idsInThreads(changed.flatMap(({ groupId }) => groupId ?? [])) : []),
};
