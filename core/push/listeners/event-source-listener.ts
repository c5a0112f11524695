import { createHash } from 'node:crypto';
import { contentOf, type Item, type Key, type Table } from '../../storage/table.ts';
import { decodeNotifiedUpTo, encodeNotifiedUpTo, eventSourcePrefix, listenerKey, type NotifiedUpTo } from './listener-record.ts';

/**
 * A client of the event source that sends no `Last-Event-ID`: its last notification, and whether it waits on a queue.
 */
export type EventSourceListener = {
  readonly principalId: string;
  /** Tells the clients of a principal apart: {@link eventSourceName}. */
  readonly name: string;
  /** Null for all. */
  readonly types: readonly string[] | null;
  readonly notifiedUpTo: NotifiedUpTo;
  /** Its position before its latest notification. */
  readonly notifiedBefore?: NotifiedUpTo;
  /** Seconds since 1970: the last response with a body. */
  readonly answeredAt: number;
  /** URL of its wait queue, once it has returned earlier than `retry` says. */
  readonly queueUrl?: string;
  /** Seconds since 1970. DynamoDB removes the item some time after. */
  readonly expiresAt: number;
};

export type EventSourceReference = Pick<EventSourceListener, 'principalId' | 'name'>;

/**
 * A name for a client that sends no identification: a hash of its access token, its User-Agent and the requested types.
 * Processes that share all three share their notifications.
 */
export const eventSourceName = (authorization: string, userAgent: string, types: string): string =>
  createHash('sha256').update(JSON.stringify([authorization, userAgent, types])).digest('base64url').slice(0, 22);

const eventSourceKey = ({ principalId, name }: EventSourceReference): Key => listenerKey(principalId, `${eventSourcePrefix}${name}`);

type Stored = Omit<EventSourceListener, 'principalId' | 'name' | 'notifiedUpTo' | 'notifiedBefore'>
  & { readonly told_before?: Readonly<Record<string, number>> };

export const decodeEventSource = (principalId: string, item: Item): EventSourceListener => {
  const { told_before: before, ...listener } = contentOf(item) as Stored;
  return {
    ...listener,
    principalId,
    name: item.sk.slice(eventSourcePrefix.length),
    notifiedUpTo: decodeNotifiedUpTo(item),
    ...(before && { notifiedBefore: new Map(Object.entries(before)) }),
  };
};

/** Undefined when there is none; it may have expired. */
export const findEventSource = async (table: Table, reference: EventSourceReference): Promise<EventSourceListener | undefined> => {
  const item = await table.get(eventSourceKey(reference));
  return item && decodeEventSource(reference.principalId, item);
};

export const putEventSource = (
  table: Table, { notifiedUpTo, notifiedBefore, principalId, name, ...listener }: EventSourceListener,
): Promise<void> => table.write([{ put: {
  ...eventSourceKey({ principalId, name }), ...listener, ...encodeNotifiedUpTo(notifiedUpTo),
  ...(notifiedBefore && { told_before: Object.fromEntries(notifiedBefore) }),
} }]);
