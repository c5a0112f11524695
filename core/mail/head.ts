import { pushTypes, type PushType } from '../../contract/jmap/push.ts';
import type { Item, Value } from '../storage/table.ts';
import { headKey } from './keys.ts';

/** Sequence number of the last commit that touched each type: the type's state. EmailDelivery is touched by what adds an Email (RFC 8621 §1.5). */
export type States = { readonly [type in PushType]: number };

/** An account's newest commit. Every commit is conditional on it, which puts all of them in one order. */
export type Head = {
  /** Sequence number of the newest commit; the account's creation is 1. */
  readonly sequence: number;
  readonly states: States;
  /** The log is whole from the commit after this one. An older state can't be told from. */
  readonly lowWater: number;
  /** Mailbox ids by role. */
  readonly roles: { readonly [role: string]: string };
  /** Octets of all raw messages. */
  readonly bytes: number;
};

/** Attributes of the states in the item. */
const stateNames = {
  Email: 'emailState', EmailDelivery: 'emailDeliveryState', Mailbox: 'mailboxState', Thread: 'threadState',
} as const satisfies Record<PushType, string>;

export const encodeHead = (accountId: string, head: Head): Item => ({ ...headKey(accountId), lowWater: head.lowWater, ...changedHead(head) });

/** The attributes of the head that a commit writes. */
export const changedHead = ({ sequence, states, roles, bytes }: Head): Record<string, Value> => ({
  sequence,
  ...Object.fromEntries(pushTypes.map((type) => [stateNames[type], states[type]])),
  roles,
  bytes,
});

export const decodeHead = (item: Item): Head => ({
  sequence: item['sequence'] as number,
  states: Object.fromEntries(pushTypes.map((type) => [type, item[stateNames[type]] ?? 0])) as States,
  lowWater: item['lowWater'] as number,
  roles: item['roles'] as Head['roles'],
  bytes: item['bytes'] as number,
});
