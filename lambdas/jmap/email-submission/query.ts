import type { emailSubmission } from '../../../contract/jmap/email-submission.ts';
import type { ConditionOf } from '../../../contract/jmap/record.ts';
import { emailSubmissionsOf, type EmailSubmissionRecord } from '../../../core/mail/email-submission-type.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { filterTest, recordComparison } from '../request/plain-records.ts';
import { storedProperties } from './submission-properties.ts';

type Condition = ConditionOf<typeof emailSubmission>;

/** Makes a function that tests an EmailSubmission against conditions. Each list of ids becomes a set once. */
const conditionMatcher = () => {
  const sets = new Map<readonly string[], ReadonlySet<string>>();
  const includes = (list: readonly string[] | undefined, id: string): boolean => {
    if (!list) return true;
    const set = sets.get(list) ?? new Set(list);
    sets.set(list, set);
    return set.has(id);
  };
  return (record: EmailSubmissionRecord, condition: Condition): boolean => matchesCondition(record, condition, includes);
};

/** Whether an EmailSubmission meets all members of a condition (RFC 8621 §7.3). */
const matchesCondition = (
  record: EmailSubmissionRecord,
  condition: Condition,
  includes: (list: readonly string[] | undefined, id: string) => boolean,
): boolean => {
  const { identityIds, emailIds, threadIds, undoStatus, before, after } = condition;
  const sendAt = Date.parse(record.sendAt);
  return (
    includes(identityIds, record.identityId) &&
    includes(emailIds, record.emailId) &&
    includes(threadIds, record.threadId) &&
    (undoStatus === undefined || record.undoStatus === undoStatus) &&
    (before === undefined || sendAt < Date.parse(before)) &&
    (after === undefined || sendAt >= Date.parse(after))
  );
};

/** EmailSubmission/query (RFC 8621 §7.3). */
export const emailSubmissionQuery: BehaviourOf<typeof emailSubmission>['query'] = {
  matchingIds(view, filter, sort) {
    const matches = conditionMatcher();
    const comparators = sort.map((each) => (each.property === 'sentAt' ? { ...each, property: 'sendAt' } : each));
    return emailSubmissionsOf(view)
      .all()
      .filter(filterTest(filter, (condition) => (record) => matches(record, condition)))
      .map(storedProperties)
      .toSorted(recordComparison(comparators))
      .map(({ id }) => id);
  },
};
