import { eventSourceNews, eventSourceWait } from '../../../contract/jmap/push.ts';
import { findEventSource, putEventSource, type EventSourceListener, type EventSourceReference } from '../../../core/push/listeners/event-source-listener.ts';
import type { NotifiedUpTo } from '../../../core/push/listeners/listener-record.ts';
import { secondsNow } from '../../../core/runtime/clock.ts';
import type { JmapDependencies } from '../request/answer-request.ts';

/** Maximum clients that this instance remembers. */
const maxClients = 1000;

/** A client in this instance's memory. `sentNews`: how many times its latest states were sent. */
type KnownClient = { readonly listener: EventSourceListener; readonly sentNews: number };

/** Makes the cache of clients of this instance. The cache saves the read of a waiting client. */
export const knownClients = ({ mailTable, clock }: Pick<JmapDependencies, 'mailTable' | 'clock'>) => {
  const clients = new Map<string, KnownClient>();
  const keep = (client: KnownClient): void => {
    clients.delete(client.listener.name);
    clients.set(client.listener.name, client);
    if (clients.size > maxClients) clients.delete(clients.keys().next().value!);
  };
  /** The newest states of which all clients with one name were notified, while one of them may still wait. */
  const beforeNews = ({ answeredAt, notifiedBefore }: EventSourceListener): NotifiedUpTo | undefined =>
    secondsNow(clock) - answeredAt < eventSourceWait.seconds ? notifiedBefore : undefined;
  return {
    /** The accounts in the client's last notification, if this instance remembers the client. */
    accountIds: ({ name }: EventSourceReference): readonly string[] | undefined => {
      const client = clients.get(name);
      return client && [...client.listener.notifiedUpTo.keys()];
    },
    /**
     * Finds a client. If another instance has notified the client of newer states, the client is notified of them
     * again.
     */
    find: async (reference: EventSourceReference): Promise<EventSourceListener | undefined> =>
      clients.get(reference.name)?.listener ?? (await findEventSource(mailTable, reference)),
    /**
     * Two clients with the same token, User-Agent and types share a record. Both wait when something changes, and
     * request it immediately or at the end of their waits. So the first requests after a change get the same states.
     * @returns the states of which all clients of the name were notified; undefined when the change is old, or was sent
     * often enough.
     */
    takeNewsAgain(listener: EventSourceListener): NotifiedUpTo | undefined {
      const [before, known] = [beforeNews(listener), clients.get(listener.name)];
      const sentNews = known?.sentNews ?? 1;
      const isAtOnce = secondsNow(clock) - listener.answeredAt <= eventSourceNews.atOnceSeconds;
      if (before === undefined || sentNews >= (isAtOnce ? eventSourceNews.atOnce : eventSourceNews.inAll)) return undefined;
      keep({ listener, sentNews: sentNews + 1 });
      return before;
    },
    /** The states, before the latest notification, of which all clients with this name were certainly notified. */
    notifiedForCertain: (listener: EventSourceListener): NotifiedUpTo => beforeNews(listener) ?? listener.notifiedUpTo,
    /** Stores a client that now gets new states. */
    async putNotified(listener: EventSourceListener): Promise<void> {
      await putEventSource(mailTable, listener);
      keep({ listener, sentNews: 1 });
    },
    /** Stores a waiting client in memory. @param isStored whether the table has the same record of the client. */
    async putWaiting(listener: EventSourceListener, isStored: boolean): Promise<void> {
      if (!isStored) await putEventSource(mailTable, listener);
      keep({ sentNews: 1, ...clients.get(listener.name), listener });
    },
  };
};
export type KnownClients = ReturnType<typeof knownClients>;
