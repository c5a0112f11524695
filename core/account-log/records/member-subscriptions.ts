import { rowOf } from '../../storage/table.ts';
import type { StoredRecord } from '../log-entry.ts';
import type { RecordCodec } from './record-codec.ts';
import type { MemberKey } from './stored-type.ts';

/** A record to which each member of the account may subscribe: the property `isSubscribed` (RFC 8621 §2, RFC 9610 §2). */
export type SubscribedRecord = {
  /** Whether the account's owner is subscribed. */
  readonly isSubscribed: boolean;
  /**
   * The principal ids of other subscribed members, the newest last. Former members are not removed. Absent when there
   * are none.
   */
  readonly subscribers?: readonly string[];
};

/** The codec with `subscribers`, which the contract does not have. */
export const withSubscribersCodec = <R extends StoredRecord & SubscribedRecord>(codec: RecordCodec<R>): RecordCodec<R> => ({
  version: codec.version,
  encode: (record) => ({ ...codec.encode(record), ...(record.subscribers?.length && { subscribers: record.subscribers }) }),
  decode: (id, attributes) => {
    const { subscribers } = rowOf<Pick<SubscribedRecord, 'subscribers'>>(attributes);
    return { ...codec.decode(id, attributes), ...(subscribers && { subscribers }) };
  },
});

/** Maximum subscribed members besides the owner that a record stores (40 KB). The oldest subscription is dropped. */
const maxSubscribers = 1000;

const withSubscribers = <R extends SubscribedRecord>({ subscribers: _before, ...record }: R, subscribers: readonly string[]): R =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a record without its optional property is still of its type
  (subscribers.length > 0 ? { ...record, subscribers: subscribers.slice(-maxSubscribers) } : record) as R;

/** The property `isSubscribed` of a member. */
export const isSubscribedBy = ({ isSubscribed, subscribers = [] }: SubscribedRecord, member: MemberKey): boolean =>
  member === null ? isSubscribed : subscribers.includes(member);

/** The record after a change of one member's subscription. */
export const withSubscription = <R extends SubscribedRecord>(record: R, member: MemberKey, isSubscribed: boolean): R => {
  if (isSubscribedBy(record, member) === isSubscribed) return record;
  if (member === null) return { ...record, isSubscribed };
  const others = (record.subscribers ?? []).filter((each) => each !== member);
  return withSubscribers(record, isSubscribed ? [...others, member] : others);
};

/** The members whose subscription differs. */
export const changedSubscriptions = (from: SubscribedRecord, to: SubscribedRecord): readonly MemberKey[] => {
  const owner = from.isSubscribed === to.isSubscribed ? [] : [null];
  if (from.subscribers === to.subscribers) return owner;
  const [before, after] = [new Set(from.subscribers), new Set(to.subscribers)];
  return [...owner, ...[...before].filter((each) => !after.has(each)), ...[...after].filter((each) => !before.has(each))];
};

/** The merged record. Its subscriptions are those of `current`, after the changes from `from` to `to`. */
export const mergeSubscriptions = <R extends SubscribedRecord>(merged: R, current: R, from: R, to: R): R =>
  changedSubscriptions(from, to)
    .filter((member) => member !== null)
    .reduce((record, member) => withSubscription(record, member, isSubscribedBy(to, member)), withSubscribers(merged, current.subscribers ?? []));
