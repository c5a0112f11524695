import type { Item, Value } from '../storage/table.ts';
import { attributesOf, upgradeAttributes, versionAttribute, type Attributes } from './item-version.ts';
import { headKey } from './keys.ts';

/**
 * By type name: the sequence number of the last commit that changed the type. A type without an entry never changed.
 */
export type States = { readonly [type: string]: number };

/**
 * The state of an account after its newest commit. Every commit is conditional on the head, so all commits of an
 * account have one order.
 */
export type Head = {
  /** Sequence number of the newest commit; the account's creation is 1. */
  readonly sequence: number;
  readonly states: States;
  /**
   * The low-water mark: the log is complete from the commit after this one. /changes can't be calculated from an older
   * state.
   */
  readonly lowWater: number;
  /** Mailbox ids by role, so that a delivery finds its Mailbox without loading the account. */
  readonly roles: { readonly [role: string]: string };
  /** Octets of all raw messages. */
  readonly bytes: number;
};

/** Version 1 had an attribute for each type's state. */
const headVersion = 2;
const stateAttributes1 = {
  emailState: 'Email', emailDeliveryState: 'EmailDelivery', mailboxState: 'Mailbox', threadState: 'Thread',
} as const;

const upgradeHead1 = (attributes: Attributes): Attributes => ({
  ...attributes,
  states: Object.fromEntries(Object.entries(stateAttributes1).map(([attribute, type]) => [type, attributes[attribute] ?? 0])),
});

export const encodeHead = (accountId: string, head: Head): Item => ({
  ...headKey(accountId), lowWater: head.lowWater, ...headAttributes(head),
});

/** The attributes of the head that a commit writes: all but the low-water mark. */
export const headAttributes = ({ sequence, states, roles, bytes }: Head): Record<string, Value> =>
  ({ [versionAttribute]: headVersion, sequence, states, roles, bytes });

/** @throws UnknownItemVersion when a newer release wrote the head. */
export const decodeHead = (item: Item): Head => {
  const attributes = upgradeAttributes('account head', attributesOf(item), [upgradeHead1]);
  return {
    sequence: attributes['sequence'] as number,
    states: attributes['states'] as States,
    lowWater: attributes['lowWater'] as number,
    roles: attributes['roles'] as Head['roles'],
    bytes: attributes['bytes'] as number,
  };
};
