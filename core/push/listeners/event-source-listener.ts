import { createHash } from 'node:crypto';
import { contentOf, type Item, type Key, type Table } from '../../storage/table.ts';
import { decodeNotifiedUpTo, encodeNotifiedUpTo, eventSourcePrefix, listenerKey, type NotifiedUpTo } from './listener-record.ts';

/** A client of the event source without `Last-Event-ID`: its last notification, and whether it waits on a queue. */
export type EventSourceListener = {
  readonly principalId: string;
  /** Distinguishes the clients of a principal: {@link eventSourceName}. */
  readonly name: string;
  /** The requested types; null for all. */
  readonly types: readonly string[] | null;
  readonly notifiedUpTo: NotifiedUpTo;
  /** The client's position before its latest notification. */
  readonly notifiedBefore?: NotifiedUpTo;
  /** Time of the last response with a body, in seconds since 1970. */
  readonly answeredAt: number;
  /** URL of the client's wait queue. Present once the client has reconnected earlier than `retry` says. */
  readonly queueUrl?: string;
  /** Time of expiry, in seconds since 1970. DynamoDB removes the item later. */
  readonly expiresAt: number;
};

export type EventSourceReference = Pick<EventSourceListener, 'principalId' | 'name'>;

/** The name of a client: a hash of access token, User-Agent and types. Several processes may share it. */
export const eventSourceName = (authorization: string, userAgent: string, types: string): string =>
  createHash('sha256')
    .update(JSON.stringify([authorization, userAgent, types]))
    .digest('base64url')
    .slice(0, 22);

const eventSourceKey = ({ principalId, name }: EventSourceReference): Key => listenerKey(principalId, `${eventSourcePrefix}${name}`);

type Stored = Omit<EventSourceListener, 'principalId' | 'name' | 'notifiedUpTo' | 'notifiedBefore'> & {
  readonly told_before?: Readonly<Record<string, number>>;
};

export const decodeEventSource = (principalId: string, item: Item): EventSourceListener => {
  const { told_before: before, ...listener } = contentOf<Stored>(item);
  return {
    ...listener,
    principalId,
    name: item.sk.slice(eventSourcePrefix.length),
    notifiedUpTo: decodeNotifiedUpTo(item),
    ...(before && { notifiedBefore: new Map(Object.entries(before)) }),
  };
};

/** Finds a listener, which may have expired. @returns undefined when it does not exist. */
export const findEventSource = async (table: Table, reference: EventSourceReference): Promise<EventSourceListener | undefined> => {
  const item = await table.get(eventSourceKey(reference));
  return item && decodeEventSource(reference.principalId, item);
};

export const putEventSource = (table: Table, { notifiedUpTo, notifiedBefore, principalId, name, ...listener }: EventSourceListener): Promise<void> =>
  table.write([
    {
      put: {
        ...eventSourceKey({ principalId, name }),
        ...listener,
        ...encodeNotifiedUpTo(notifiedUpTo),
        ...(notifiedBefore && { told_before: Object.fromEntries(notifiedBefore) }),
      },
    },
  ]);
