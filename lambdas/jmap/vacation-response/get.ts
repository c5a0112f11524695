import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { vacationResponse, vacationResponseId } from '../../../contract/jmap/vacation-response.ts';
import { vacationResponseOf } from '../../../core/mail/vacation-response-type.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { readableRecords } from '../request/plain-records.ts';

/** VacationResponse/get (RFC 8621 §8.1). */
export const vacationResponseGet: BehaviourOf<typeof vacationResponse>['get'] = {
  records: (_args, { view }) => readableRecords(vacationResponse, new Map<string, JsonObject>([[vacationResponseId, vacationResponseOf(view)]])),
};
