import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { StateChange } from '../contract/jmap/push.ts';
import { plainMessage, sendRaw } from '../sandbox/smtp-client.ts';
import { isOver, reportTable, type ReportLine } from './report-table.ts';
import { sandboxAccount, sandboxOptions } from './sandbox-account.ts';

/** `npm run bench:push -- --outputs .postrider/sandbox.json [--mails 100]`: see README.md beside this file. */
const { sandbox, mails } = sandboxOptions(100);

/** Budgets from the SMTP server to the client, in milliseconds: median and 95th percentile. */
const budgets = { p50: 500, p95: 1000 } as const;
/** Milliseconds after which a push counts as lost. */
const pushTimeout = 30_000;

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
const timed = async (number: number): Promise<number> => {
  const from = 'bench@elsewhere.test';
  const raw = await plainMessage({ from, to: [to], subject: `Pushed ${number}`, text: 'Hello' });
  const pushed = nextPush();
  await sendRaw(sandbox.smtp, { from, to: [to] }, raw);
  const taken = performance.now();
  return Math.max(0, await pushed - taken);
};

socket.send(JSON.stringify({ '@type': 'WebSocketPushEnable', dataTypes: ['EmailDelivery'] }));
await once(socket, 'message');
// The first StateChange reports earlier changes. Three mails warm the Lambdas up.
await new Promise((resolve) => { setTimeout(resolve, 1000); });
for (let warm = 0; warm < 3; warm++) await timed(-1);

const times: number[] = [];
for (let number = 0; number < mails; number++) times.push(await timed(number));
socket.terminate();

const sorted = times.toSorted((one, other) => one - other);
const percentile = (share: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]!;
const note = `from "250" of the SMTP server to the StateChange at the client, ${mails} mails one after the other`;
const lines: ReportLine[] = [
  { what: 'mail to push, p50', figure: percentile(0.5), unit: 'ms', atMost: budgets.p50, note },
  { what: 'mail to push, p95', figure: percentile(0.95), unit: 'ms', atMost: budgets.p95 },
  { what: 'mail to push, slowest', figure: sorted.at(-1)!, unit: 'ms' },
];
process.stdout.write(`${reportTable(lines)}\n`);
process.exitCode = lines.some(isOver) ? 1 : 0;
