import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { email } from '../../../contract/jmap/email.ts';
import type { EmailFilter } from '../../../core/mail/email/email-filter.ts';
import type { EmailSort } from '../../../core/mail/email/ordered-emails.ts';
import type { BehaviourOf, Filter } from '../verbs/behaviour.ts';

type Condition = Exclude<EmailFilter, { readonly operator: string }>;

const time = (date: unknown): number | undefined => (date === undefined ? undefined : Date.parse(date as string));
const keyword = (name: unknown): string | undefined => (name as string | undefined)?.toLowerCase();

/** A decoded condition as the store takes it: times in milliseconds, keywords in lower case. */
const toStoreCondition = ({ before, after, hasKeyword, notKeyword, ...rest }: JsonObject): Condition => ({
  ...(rest as Condition),
  ...(before !== undefined && { before: time(before) }),
  ...(after !== undefined && { after: time(after) }),
  ...(hasKeyword !== undefined && { hasKeyword: keyword(hasKeyword) }),
  ...(notKeyword !== undefined && { notKeyword: keyword(notKeyword) }),
});

const toStoreFilter = (filter: Filter): EmailFilter =>
  ('operator' in filter
    ? { operator: filter.operator, conditions: filter.conditions.map(toStoreFilter) }
    : toStoreCondition(filter.condition));

/** Email/query (RFC 8621 §4.4). */
export const emailQuery: BehaviourOf<typeof email>['query'] = {
  matchingIds: (view, filter, sort, { collapseThreads }) =>
    emailsOf(view).query(filter && toStoreFilter(filter), sort as readonly EmailSort[], collapseThreads),
};
