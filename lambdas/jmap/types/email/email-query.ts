import { unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import type { email } from '../../../../contract/jmap/email.ts';
import { emailsOf } from '../../../../core/mail-types/email/email-type.ts';
import type { EmailSort } from '../../../../core/mail-types/email/index/ordered-emails.ts';
import { SearchTooWide, SearchUnavailable, type SearchBudget } from '../../../../core/search/email-search.ts';
import { MethodError } from '../../protocol/errors.ts';
import type { RequestBudget } from '../../protocol/request-budget.ts';
import type { BehaviourOf, Comparator } from '../../verbs/behaviour.ts';
import { toEmailFilter } from './email-filter.ts';

/** A Comparator as the store takes it, with its keyword in lower case. */
const toStoreSort = ({ property, isAscending, collation, arguments: { keyword } }: Comparator): EmailSort =>
  ({ property, isAscending, collation, ...(typeof keyword === 'string' && { keyword: keyword.toLowerCase() }) }) as EmailSort;

const searchBudget = (budget: RequestBudget): SearchBudget => ({
  spendOctets: (octets) => budget.spend('maxSearchOctetsInRequest', octets),
  spendEmails: (emails) => budget.spend('maxUnindexedEmailsInRequest', emails),
});

/** @throws MethodError serverUnavailable, unsupportedFilter */
const asMethodError = (error: unknown): never => {
  if (error instanceof SearchUnavailable) {
    throw new MethodError('serverUnavailable', 'The search index of this account is not available or not complete yet. Try again in a minute.');
  }
  if (error instanceof SearchTooWide) {
    const { maxSearchOctetsInRequest } = unadvertisedLimits;
    throw new MethodError(
      'unsupportedFilter',
      `A request may read ${maxSearchOctetsInRequest} octets to verify phrases and header fields (maxSearchOctetsInRequest). `
        + 'Search rarer words, or add a condition that fewer Emails meet.',
    );
  }
  throw error;
};

/** Email/query and /queryChanges (RFC 8621 §4.4, §4.5). */
export const emailQuery: BehaviourOf<typeof email>['query'] = {
  matchingIds: (view, filter, sort, { collapseThreads }, _account, { budget, dependencies }) =>
    dependencies.search.query(
      view, { filter: filter && toEmailFilter(filter, budget), sort: sort.map(toStoreSort), collapseThreads }, searchBudget(budget),
    ).catch(asMethodError),
  /** The other Emails of the Threads: another one may be the first that matches, or their Thread has other keywords. */
  affectedBy: (changed, view, { collapseThreads }, { ofThread }) =>
    (collapseThreads || ofThread ? emailsOf(view).idsInThreads(changed.flatMap(({ groupId }) => groupId ?? [])) : []),
};
