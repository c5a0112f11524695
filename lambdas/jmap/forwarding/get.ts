import { forwarding, forwardingId } from '../../../contract/jmap/forwarding.ts';
import { forwardingState, isConfirmed, type StoredForwarding } from '../../../core/directory/forwarding/forwardings.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { readableRecords } from '../request/plain-records.ts';
import { getOfPrincipal } from '../request/standard-get.ts';

/** The Forwarding of an account that has stored this. */
export const forwardingRecord = (stored: StoredForwarding | undefined) => {
  const emails = (addresses: StoredForwarding['addresses']): readonly string[] => addresses.map(({ email }) => email);
  const addresses = stored?.addresses ?? [];
  return {
    id: forwardingId,
    addresses: emails(addresses),
    keepsCopy: stored?.keep_copy ?? true,
    unconfirmed: emails(addresses.filter((address) => !isConfirmed(address))),
  };
};
export type ForwardingRecord = ReturnType<typeof forwardingRecord>;

/** Forwarding/get (docs/specification.md#forwarding). The record is in the directory, as those of a principal are outside of the account's log. */
export const getForwarding: BehaviourOf<typeof forwarding>['Forwarding/get'] = async ({ accountId, ...args }, _account, context) => {
  const stored = await context.dependencies.forwarding.forwardings.find(accountId);
  const records = readableRecords(forwarding, new Map([[forwardingId, forwardingRecord(stored)]]));
  return { accountId, state: forwardingState(stored), ...(await getOfPrincipal(forwarding, { records: () => records })(args, context)) };
};
