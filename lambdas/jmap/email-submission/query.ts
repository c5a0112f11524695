import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { emailSubmission } from '../../../contract/jmap/email-submission.ts';
import { emailSubmissionsOf, type EmailSubmissionRecord } from '../../../core/mail-types/email-submission/email-submission-type.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { filterTest, recordComparison, selectedProperties, type PlainRecord } from '../request/plain-records.ts';
import { prepareSubmissionSet } from './set.ts';
import { computedProperties, storedProperties, toEmailSubmission } from './submission-properties.ts';

/**
 * Reads the EmailSubmissions of a batch in one round trip. It reads nothing when no property needs the sending table.
 */
const readSubmissions = async (
  ids: readonly string[], properties: ReadonlySet<string>, { view }: OpenAccount, { dependencies }: RequestContext,
): Promise<readonly JsonObject[]> => {
  const records = ids.map((id) => emailSubmissionsOf(view).get(id)!);
  const found = computedProperties.some((name) => properties.has(name)) ? await dependencies.sending.submissions.findAll(records) : new Map();
  return records.map((record) => selectedProperties(emailSubmission, toEmailSubmission(record, found.get(record.id)), properties));
};

/** Makes a function that tests an EmailSubmission against conditions. Each list of ids becomes a set once. */
const conditionMatcher = () => {
  const sets = new Map<readonly string[], ReadonlySet<string>>();
  const includes = (list: readonly string[] | undefined, id: string): boolean => {
    if (!list) return true;
    const set = sets.get(list) ?? new Set(list);
    sets.set(list, set);
    return set.has(id);
  };
  return (record: EmailSubmissionRecord, condition: JsonObject): boolean => matchesCondition(record, condition, includes);
};

/** Whether an EmailSubmission meets all members of a condition (RFC 8621 §7.3). */
const matchesCondition = (
  record: EmailSubmissionRecord, condition: JsonObject, includes: (list: readonly string[] | undefined, id: string) => boolean,
): boolean => {
  const { identityIds, emailIds, threadIds, undoStatus, before, after } = condition as {
    readonly [list in 'identityIds' | 'emailIds' | 'threadIds']?: readonly string[];
  } & { readonly [text in 'undoStatus' | 'before' | 'after']?: string };
  const sendAt = Date.parse(record.sendAt);
  return includes(identityIds, record.identityId)
    && includes(emailIds, record.emailId)
    && includes(threadIds, record.threadId)
    && (undoStatus === undefined || record.undoStatus === undoStatus)
    && (before === undefined || sendAt < Date.parse(before))
    && (after === undefined || sendAt >= Date.parse(after));
};

/** EmailSubmission (RFC 8621 §7). */
export const emailSubmissionBehaviour: BehaviourOf<typeof emailSubmission> = {
  get: {
    records(_args, account, context) {
      const submissions = emailSubmissionsOf(account.view);
      return {
        size: submissions.size,
        ids: () => submissions.ids(),
        has: (id) => submissions.has(id),
        read: (ids, properties) => readSubmissions(ids, properties, account, context),
      };
    },
  },
  changes: {},
  query: {
    matchingIds(view, filter, sort) {
      const matches = conditionMatcher();
      const comparators = sort.map((each) => (each.property === 'sentAt' ? { ...each, property: 'sendAt' } : each));
      return emailSubmissionsOf(view).all()
        .filter(filterTest(filter, (condition) => (record) => matches(record, condition)))
        .map((record) => storedProperties(record) as PlainRecord)
        .toSorted(recordComparison(comparators))
        .map(({ id }) => id);
    },
  },
  set: { prepareChangeSet: prepareSubmissionSet },
};
