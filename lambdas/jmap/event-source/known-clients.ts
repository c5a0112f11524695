import { eventSourceNews, eventSourceWait } from '../../../contract/jmap/push.ts';
import {
  findEventSource, putEventSource, type EventSourceListener, type EventSourceReference,
} from '../../../core/push/listeners/event-source-listener.ts';
import type { NotifiedUpTo } from '../../../core/push/listeners/listener-record.ts';
import { secondsNow } from '../../../core/runtime/clock.ts';
import type { JmapDependencies } from '../request/answer-request.ts';

/** Maximum clients that this instance knows at a time. */
const maxClients = 1000;

/** A client in this instance's memory. `sentNews`: how often its latest states were sent. */
type KnownClient = { readonly listener: EventSourceListener; readonly sentNews: number };

/** The clients in this instance's memory. A known client that waits costs no read. */
export const knownClients = ({ mailTable, clock }: Pick<JmapDependencies, 'mailTable' | 'clock'>) => {
  const clients = new Map<string, KnownClient>();
  const keep = (client: KnownClient): void => {
    clients.delete(client.listener.name);
    clients.set(client.listener.name, client);
    if (clients.size > maxClients) clients.delete(clients.keys().next().value!);
  };
  /** The states of which all clients of a name were notified, while another client of the name may still wait. */
  const beforeNews = ({ answeredAt, notifiedBefore }: EventSourceListener): NotifiedUpTo | undefined =>
    secondsNow(clock) - answeredAt < eventSourceWait.seconds ? notifiedBefore : undefined;
  return {
    /** The accounts that a client was last notified of, if this instance knows it. */
    accountIds: ({ name }: EventSourceReference): readonly string[] | undefined => {
      const client = clients.get(name);
      return client && [...client.listener.notifiedUpTo.keys()];
    },
    /** Another instance may have notified the client of newer states: then it is notified of the same states again. */
    find: async (reference: EventSourceReference): Promise<EventSourceListener | undefined> =>
      clients.get(reference.name)?.listener ?? await findEventSource(mailTable, reference),
    /**
     * Two clients with one token, User-Agent and types have one record. Both wait when something changes, and request
     * it immediately or at the end of their waits. So the first requests after a change get the same states.
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
    /**
     * The states of which all clients of a name were notified for certain, before the latest notification of one of
     * them.
     */
    notifiedForCertain: (listener: EventSourceListener): NotifiedUpTo => beforeNews(listener) ?? listener.notifiedUpTo,
    /** Stores a client that gets new states. */
    async putNotified(listener: EventSourceListener): Promise<void> {
      await putEventSource(mailTable, listener);
      keep({ listener, sentNews: 1 });
    },
    /** Remembers a waiting client. @param isStored whether the table has the same record of the client. */
    async putWaiting(listener: EventSourceListener, isStored: boolean): Promise<void> {
      if (!isStored) await putEventSource(mailTable, listener);
      keep({ sentNews: 1, ...clients.get(listener.name), listener });
    },
  };
};
export type KnownClients = ReturnType<typeof knownClients>;
