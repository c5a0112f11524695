import type { ResponseOf } from '../../api/admin-api.tsx';
import { rankOf } from '../../words/states.ts';

export type SentMessage = ResponseOf<'mail-feedback', 'ListSentMessages'>['messages'][number];
export type MessageRecipient = SentMessage['recipients'][number];
export type MessageEvent = MessageRecipient['events'][number];
export type DeliveryState = MessageRecipient['state'];

/** The number of recipients in each state. States that need attention come first. */
export const stateCounts = (recipients: readonly MessageRecipient[]): readonly { readonly state: DeliveryState; readonly count: number }[] =>
  [...Map.groupBy(recipients, ({ state }) => state)]
    .map(([state, { length: count }]) => ({ state, count }))
    .toSorted((one, other) => rankOf('delivery', one.state) - rankOf('delivery', other.state));
