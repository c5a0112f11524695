import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { emailSubmission } from '../../../contract/jmap/email-submission.ts';
import { emailSubmissionsOf } from '../../../core/mail/email-submission-type.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { selectedProperties } from '../request/plain-records.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { computedProperties, toEmailSubmission } from './submission-properties.ts';

/**
 * Reads the EmailSubmissions of a batch in one round trip. It reads nothing when no property needs the sending table.
 */
const readSubmissions = async (
  ids: readonly string[],
  properties: ReadonlySet<string>,
  { view }: OpenAccount,
  { dependencies }: RequestContext,
): Promise<readonly JsonObject[]> => {
  const records = ids.map((id) => emailSubmissionsOf(view).get(id)!);
  const found = computedProperties.some((name) => properties.has(name)) ? await dependencies.sending.submissions.findAll(records) : new Map();
  return records.map((record) => selectedProperties(emailSubmission, toEmailSubmission(record, found.get(record.id)), properties));
};

/** EmailSubmission/get (RFC 8621 §7.1). */
export const emailSubmissionGet: BehaviourOf<typeof emailSubmission>['get'] = {
  records(_args, account, context) {
    const submissions = emailSubmissionsOf(account.view);
    return {
      size: submissions.size,
      ids: () => submissions.ids(),
      has: (id) => submissions.has(id),
      read: (ids, properties) => readSubmissions(ids, properties, account, context),
    };
  },
};
