import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { eventSourceRetry, type StateChange } from '../../contract/jmap/push.ts';
import { plainMessage, sendRaw } from '../../sandbox/clients/smtp-client.ts';
import { listenByEventSource, type ReturnOfClient } from './event-source-listener.ts';
import { isOver, reportTable, type ReportLine } from '../report-table.ts';
import { sandboxAccount, sandboxOptions } from './sandbox-account.ts';

/** `npm run bench:push -- --outputs .postrider/sandbox.json [--mails 100]`: see README.md beside this file. */
const { sandbox, mails } = sandboxOptions(100);

/** Budgets from the SMTP server to the client, in milliseconds: median and 95th percentile. */
const budgets = { p50: 500, p95: 1000 } as const;
/**
 * Budgets of the event source, in milliseconds: for a client whose request waits, and for one that reconnects after
 * `retry`.
 */
const eventSourceBudgets = { held: 2_000, byRetry: eventSourceRetry * 1000 + 2_000 } as const;
/** Number of mails sent to a client that reconnects after `retry`. Each takes half a minute. */
const mailsByRetry = 5;
/** Milliseconds after which a push counts as lost. */
const pushTimeout = 60_000;

const { email: to, token } = await sandboxAccount(sandbox);

const socket = new WebSocket(sandbox.webSocketUrl, 'jmap', { headers: { authorization: `Bearer ${token}` } });
await once(socket, 'open');

/** The time at which the client reads the next push of new mail (`performance.now()`). */
const nextPush = (): Promise<number> => new Promise((done, fail) => {
  const timer = setTimeout(() => fail(new Error(`no push came within ${pushTimeout} ms`)), pushTimeout);
  const look = (data: Buffer): void => {
    const at = performance.now();
    const { changed } = JSON.parse(data.toString()) as Partial<StateChange>;
    if (!changed || !Object.values(changed).some(({ EmailDelivery }) => EmailDelivery)) return;
    socket.off('message', look);
    clearTimeout(timer);
    done(at);
  };
  socket.on('message', look);
});

/** Sends one mail and waits for its push. @returns milliseconds from the SMTP server's "250" to the push. */
const timed = async (number: number, push: () => Promise<number>): Promise<number> => {
  const from = 'bench@elsewhere.test';
  const raw = await plainMessage({ from, to: [to], subject: `Pushed ${number}`, text: 'Hello' });
  const pushed = push();
  await sendRaw(sandbox.smtp, { from, to: [to] }, raw);
  const taken = performance.now();
  return Math.max(0, await pushed - taken);
};

socket.send(JSON.stringify({ '@type': 'WebSocketPushEnable', dataTypes: ['EmailDelivery'] }));
await once(socket, 'message');
// The first StateChange reports earlier changes. Three mails warm the Lambdas up.
await pause(1000);
for (let warm = 0; warm < 3; warm++) await timed(-1, nextPush);

const times: number[] = [];
for (let number = 0; number < mails; number++) times.push(await timed(number, nextPush));
socket.terminate();

/** Times of pushes to a client of the event source, and its HTTP requests a minute while nothing happens. */
const byEventSource = async (returns: ReturnOfClient, count: number) => {
  const client = await listenByEventSource(sandbox.jmapUrl, token, returns);
  await pause(1000);
  const measured: number[] = [];
  for (let number = 0; number < count; number++) {
    measured.push(await timed(number, client.nextPush));
    // Random moments of the client's cycle.
    await pause(Math.random() * (returns === 'by retry' ? eventSourceRetry * 1000 : 3000));
  }
  const before = client.requests;
  await pause(60_000);
  client.stop();
  return { measured: measured.toSorted((one, other) => one - other), idleRequests: client.requests - before };
};
const held = await byEventSource('at once', Math.min(mails, 20));
const byRetry = await byEventSource('by retry', Math.min(mails, mailsByRetry));
const median = (sortedTimes: readonly number[]): number => sortedTimes[Math.floor(sortedTimes.length / 2)]!;

const sorted = times.toSorted((one, other) => one - other);
const percentile = (share: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]!;
const note = `from "250" of the SMTP server to the StateChange at the client, ${mails} mails one after the other`;
const lines: ReportLine[] = [
  { what: 'mail to push, p50', figure: percentile(0.5), unit: 'ms', atMost: budgets.p50, note },
  { what: 'mail to push, p95', figure: percentile(0.95), unit: 'ms', atMost: budgets.p95 },
  { what: 'mail to push, slowest', figure: sorted.at(-1)!, unit: 'ms' },
  { what: 'mail to a held client of the event source, p50', figure: median(held.measured), unit: 'ms', atMost: eventSourceBudgets.held, note: 'it asks again at once' },
  { what: 'mail to a held client, slowest', figure: held.measured.at(-1)!, unit: 'ms', atMost: eventSourceBudgets.held },
  { what: 'idle requests of a held client', figure: held.idleRequests, unit: 'a minute' },
  { what: 'mail to a client that keeps retry, p50', figure: median(byRetry.measured), unit: 'ms', note: 'at random moments of its pauses' },
  { what: 'mail to a client that keeps retry, slowest', figure: byRetry.measured.at(-1)!, unit: 'ms', atMost: eventSourceBudgets.byRetry },
  { what: 'idle requests of a client that keeps retry', figure: byRetry.idleRequests, unit: 'a minute' },
];
process.stdout.write(`${reportTable(lines)}\n`);
process.exitCode = lines.some(isOver) ? 1 : 0;
