import { accountPartitions } from '../../contract/deployment/keys.ts';
import { vacationResponse, vacationResponseId } from '../../contract/jmap/vacation-response.ts';
import type { VacationWindow } from '../account-log/head.ts';
import { recordKey } from '../account-log/keys.ts';
import { propertiesCodec } from '../account-log/records/record-codec.ts';
import { indexOfRecords, RecordMap, type Indexes, type Operation, type StoredType } from '../account-log/records/stored-type.ts';
import type { Key } from '../storage/table.ts';

/** The VacationResponse of an account (RFC 8621 §8). Dates are JMAP UTCDates. */
export type VacationResponseRecord = {
  readonly id: string;
  readonly isEnabled: boolean;
  readonly fromDate: string | null;
  readonly toDate: string | null;
  readonly subject: string | null;
  readonly textBody: string | null;
  readonly htmlBody: string | null;
};

/** The key of the stored VacationResponse, for the deliver Lambda, which has no index. */
export const vacationResponseKey = (accountId: string): Key => recordKey(accountId, accountPartitions.vacationResponse, vacationResponseId);

export const vacationResponseCodec = propertiesCodec<VacationResponseRecord>(vacationResponse);

/** The VacationResponse of an account that never changed it. This default is not stored. */
export const defaultVacationResponse: VacationResponseRecord = {
  id: vacationResponseId,
  isEnabled: false,
  fromDate: null,
  toDate: null,
  subject: null,
  textBody: null,
  htmlBody: null,
};

const milliseconds = (date: string | null): number | null => (date === null ? null : Date.parse(date));

/** The time in which messages get a response; null while the VacationResponse is not enabled. */
export const vacationWindowOf = ({ isEnabled, fromDate, toDate }: VacationResponseRecord): VacationWindow | null =>
  isEnabled ? { from: milliseconds(fromDate), to: milliseconds(toDate) } : null;

/** Whether a message that arrived at that time is in the window (`from` inclusive, `to` exclusive). */
export const isInWindow = ({ from, to }: VacationWindow, at: number): boolean => (from === null || at >= from) && (to === null || at < to);

const windowAfter = (operations: readonly Operation<VacationResponseRecord>[]): VacationWindow | null => {
  const last = operations.at(-1);
  return last && last.kind !== 'destroy' ? vacationWindowOf(last.record) : null;
};

/** VacationResponse (RFC 8621 §8). The head stores its window while the response is enabled. */
export const vacationResponseType: StoredType<VacationResponseRecord> = {
  name: vacationResponse.name,
  records: {
    partition: accountPartitions.vacationResponse,
    otherPartitions: [accountPartitions.respondedSenders],
    codec: vacationResponseCodec,
    indexBuilder: () => indexOfRecords((records) => new RecordMap(records)),
    headFields: (_head, operations) => ({ vacation: windowAfter(operations) }),
  },
};

/** The VacationResponse of an account in memory. */
export const vacationResponseOf = (account: Indexes): VacationResponseRecord =>
  account.index(vacationResponseType).get(vacationResponseId) ?? defaultVacationResponse;
