import type { StateChange } from '../../contract/jmap/push.ts';
import type { EventSourceWorld } from './event-source-world.ts';

/**
 * Models of mail clients that use the event source: how they connect, read a response, and reconnect. They are written
 * after the source code of the clients as of November 2026.
 */
export type ListeningClient = {
  /** Number of requests, without followed redirects. */
  connections: number;
  /** StateChanges, with the time of each in seconds. */
  readonly states: { readonly at: number; readonly change: StateChange }[];
  /** Number of responses that the client reports to its user, or after which it stops. */
  failures: number;
  /** Runs the client until the simulated time `until`. */
  run(until: number): Promise<void>;
};

type Event = { readonly name: string; readonly data: string; readonly id: string | undefined; readonly retry: number | undefined };

/** The events of a stream (HTML, "Interpreting an event stream"). An event without its blank line is dropped. */
const eventsOf = (body: string): Event[] =>
  body
    .split('\n\n')
    .slice(0, -1)
    .map((block) => {
      const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
      return {
        name: fields.get('event') ?? 'message',
        data: fields.get('data') ?? '',
        id: fields.get('id'),
        retry: fields.has('retry') ? Number(fields.get('retry')) / 1000 : undefined,
      };
    });

const newClient = (): Omit<ListeningClient, 'run'> => ({ connections: 0, states: [], failures: 0 });
const record = (client: Omit<ListeningClient, 'run'>, world: EventSourceWorld, { name, data }: Event): void => {
  if (name === 'state') client.states.push({ at: world.now(), change: JSON.parse(data) as StateChange });
};

/**
 * aerc 0.20 with its JMAP library: reads lines, ignores `retry` and `id`, reconnects at once when the stream ends. Any
 * status but 200 is an error that it shows, and it waits five seconds.
 */
export const aerc = (world: EventSourceWorld, token = 'alice'): ListeningClient => {
  const client = newClient();
  return Object.assign(client, {
    async run(until: number) {
      while (world.now() < until) {
        client.connections += 1;
        const { status, body } = await world.get(
          { types: '*', ping: '10', closeafter: 'no' },
          { authorization: `Bearer ${token}`, 'user-agent': 'Go-http-client/1.1' },
        );
        if (status === 200) for (const event of eventsOf(body)) record(client, world, event);
        else {
          client.failures += 1;
          await world.wait(5);
        }
      }
    },
  });
};

/**
 * Bulwark: fetches the stream, ignores `retry` and `id`, and reconnects three seconds after the end of the stream. 429
 * stops the whole client until `Retry-After`. After any other status but 200, or when headers take longer than 30
 * seconds, it only polls the API.
 */
export const bulwark = (world: EventSourceWorld, token = 'alice'): ListeningClient => {
  const client = newClient();
  return Object.assign(client, {
    async run(until: number) {
      while (world.now() < until) {
        client.connections += 1;
        const begun = world.now();
        const { status, body, retryAfter } = await world.get(
          { types: '*', ping: '30', closeafter: 'no' },
          { authorization: `Bearer ${token}`, 'user-agent': 'Mozilla/5.0', accept: 'text/event-stream' },
        );
        if (status !== 200 || world.now() - begun > 30) {
          client.failures += 1;
          if (status !== 429) return;
        } else for (const event of eventsOf(body)) record(client, world, event);
        await world.wait(status === 429 ? (retryAfter ?? 60) : 3);
      }
    },
  });
};

/**
 * jmap-mua 0.8, a Java library: OkHttp's event source, which follows redirects, ignores `retry` and sends no event id. After
 * the end of a stream it pauses for a random time of up to a minute; here the pauses are spread evenly.
 */
export const jmapMua = (world: EventSourceWorld, token = 'alice'): ListeningClient => {
  const client = newClient();
  let pauses = 0;
  return Object.assign(client, {
    async run(until: number) {
      while (world.now() < until) {
        client.connections += 1;
        const { status, body } = await world.get(
          { types: '*', ping: '30', closeafter: 'no' },
          { authorization: `Bearer ${token}`, 'user-agent': 'okhttp/4.9.1' },
        );
        if (status !== 200) client.failures += 1;
        for (const event of eventsOf(body)) record(client, world, event);
        await world.wait((pauses++ * 37) % 60);
      }
    },
  });
};

/**
 * A browser's EventSource, which follows the standard: the token in the query, `Last-Event-ID`, `retry`. It ends
 * permanently after any status but 200, and after another content type.
 */
export const browser = (world: EventSourceWorld, token = 'alice'): ListeningClient & { redirects: number } => {
  const client = newClient();
  let [lastEventId, retry] = ['', 3];
  return Object.assign(client, {
    redirects: 0,
    async run(this: { redirects: number }, until: number) {
      while (world.now() < until) {
        client.connections += 1;
        const { status, body, contentType, wasRedirected } = await world.get(
          { types: '*', ping: '0', closeafter: 'no', access_token: token },
          { 'user-agent': 'Mozilla/5.0', ...(lastEventId && { 'last-event-id': lastEventId }) },
        );
        this.redirects += Number(wasRedirected);
        if (status !== 200 || contentType !== 'text/event-stream') {
          client.failures += 1;
          return;
        }
        for (const event of eventsOf(body)) {
          lastEventId = event.id ?? lastEventId;
          retry = event.retry ?? retry;
          if (event.data !== '') record(client, world, event);
        }
        await world.wait(retry);
      }
    },
  });
};
