import type { ResponseOf } from '../../api/admin-api.tsx';
import { stateWords } from '../../words/states.ts';

export type SentMessage = ResponseOf<'mail-feedback', 'ListSentMessages'>['messages'][number];
export type MessageRecipient = SentMessage['recipients'][number];
export type MessageEvent = MessageRecipient['events'][number];
export type DeliveryState = MessageRecipient['state'];

/** The order of states in a list: states that need attention precede the others. */
const order = ['error', 'warning', 'in-progress', 'pending', 'stopped', 'success', 'info'];

const rankOf = (state: string): number => order.indexOf(stateWords('delivery', state)?.look ?? 'info');

/** Sorts recipients: first those that were searched for, then those whose state needs attention. */
export const byAttention = (recipients: readonly MessageRecipient[], address?: string): readonly MessageRecipient[] =>
  recipients.toSorted((one, other) =>
    Number(isSame(other.address, address)) - Number(isSame(one.address, address)) || rankOf(one.state) - rankOf(other.state));

const isSame = (one: string, other: string | undefined): boolean => one.toLowerCase() === other?.toLowerCase();

/** The number of recipients in each state. States that need attention come first. */
export const stateCounts = (recipients: readonly MessageRecipient[]): readonly { readonly state: DeliveryState; readonly count: number }[] =>
  [...Map.groupBy(recipients, ({ state }) => state)].map(([state, { length: count }]) => ({ state, count }))
    .toSorted((one, other) => rankOf(one.state) - rankOf(other.state));
