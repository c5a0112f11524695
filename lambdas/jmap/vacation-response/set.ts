import { vacationResponse, vacationResponseId, vacationResponseLimits } from '../../../contract/jmap/vacation-response.ts';
import type { AccountView } from '../../../core/account-index/account-view.ts';
import { vacationResponseOf, type VacationResponseRecord } from '../../../core/mail/vacation-response-type.ts';
import type { AccountChangeSet, BehaviourOf } from '../request/behaviour.ts';
import { SetError } from '../request/jmap-errors.ts';

/** Checks the sizes of texts. @throws SetError tooLarge */
const checkSizes = ({ subject, textBody, htmlBody }: VacationResponseRecord): void => {
  const { maxSizeSubject, maxSizeBody } = vacationResponseLimits;
  const sizes = [
    ['subject', subject, maxSizeSubject],
    ['textBody', textBody, maxSizeBody],
    ['htmlBody', htmlBody, maxSizeBody],
  ] as const;
  for (const [name, value, limit] of sizes) {
    if (value !== null && Buffer.byteLength(value) > limit) throw new SetError('tooLarge', `"${name}" may have at most ${limit} octets.`);
  }
};

/** Checks all properties. @throws SetError invalidProperties, tooLarge */
const checkRecord = (record: VacationResponseRecord): void => {
  const { subject, fromDate, toDate } = record;
  if (subject !== null && /\p{Cc}/u.test(subject)) {
    throw new SetError('invalidProperties', '"subject" may have no line breaks and no other control characters.', ['subject']);
  }
  if (fromDate !== null && toDate !== null && Date.parse(toDate) <= Date.parse(fromDate)) {
    throw new SetError('invalidProperties', '"toDate" must be after "fromDate".', ['fromDate', 'toDate']);
  }
  checkSizes(record);
};

/** The change set. /set of a singleton calls neither `create` nor `destroy`. */
const changeSetOf = (view: AccountView): AccountChangeSet<typeof vacationResponse> => {
  let changed: VacationResponseRecord | undefined;
  const record = () => changed ?? vacationResponseOf(view);
  return {
    current: (id) => (id === vacationResponseId ? record() : undefined),
    create() {},
    update(_id, properties) {
      const next = { ...record(), ...properties };
      checkRecord(next);
      changed = next;
    },
    destroy() {},
    commit: () => changed && { records: { [vacationResponse.name]: { put: [changed] } } },
  };
};

/** VacationResponse/set (RFC 8621 §8.2). */
export const vacationResponseSet: BehaviourOf<typeof vacationResponse>['set'] = { prepareChangeSet: () => Promise.resolve({ beginChangeSet: changeSetOf }) };
