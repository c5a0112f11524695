import { setTimeout as pause } from 'node:timers/promises';
import { isOver, reportTable, type ReportLine } from '../report-table.ts';
import { sandboxAccount, sandboxOptions } from './sandbox-account.ts';

/** `npm run bench:sending -- --outputs .postrider/sandbox.json [--mails 50]`: see README.md beside this file. */
const { sandbox, mails } = sandboxOptions(50);
const { email, call } = await sandboxAccount(sandbox);

/** Budgets from the request to SES's acceptance, in milliseconds: median and 95th percentile. */
const budgets = { p50: 500, p95: 1000 } as const;
/** Milliseconds after which a mail counts as lost. */
const sendTimeout = 30_000;

type Accepted = { readonly created?: { readonly mail: unknown } | null; readonly notCreated?: unknown };

/** When the sandbox's SES accepted the mail, in milliseconds since 1970: the time in its outbox. */
const acceptedAt = async (subject: string): Promise<number> => {
  for (const deadline = Date.now() + sendTimeout; Date.now() < deadline; await pause(20)) {
    const { messages } = await (await fetch(new URL('messages.json', sandbox.outboxUrl))).json() as {
      messages: readonly { readonly subject: string; readonly at: string }[];
    };
    const found = messages.find((message) => message.subject === subject);
    if (found) return Date.parse(found.at);
  }
  throw new Error(`SES got no mail within ${sendTimeout} ms`);
};

const [identities, drafts] = await call(['Identity/get', { ids: null }], ['Mailbox/query', { filter: { role: 'drafts' } }]);
const { id: identityId } = (identities!['list'] as { id: string; email: string }[]).find((identity) => identity.email === email)!;
const [mailboxId] = drafts!['ids'] as string[];

/** Submits one mail. @returns milliseconds from the request to its response, and to SES's acceptance. */
const timed = async (run: number, number: number): Promise<{ readonly answered: number; readonly accepted: number }> => {
  const subject = `Sent ${run} ${number}`;
  const began = Date.now();
  const [, submission] = await call(
    ['Email/set', { create: { mail: {
      mailboxIds: { [mailboxId!]: true }, from: [{ email }], to: [{ email: 'bench@elsewhere.test' }], subject,
      textBody: [{ partId: '1', type: 'text/plain' }], bodyValues: { 1: { value: 'Hello' } },
    } } }],
    ['EmailSubmission/set', { create: { mail: { emailId: '#mail', identityId } } }],
  );
  const answered = Date.now() - began;
  const { created, notCreated } = submission as Accepted;
  if (!created) throw new Error(`the mail is not accepted: ${JSON.stringify(notCreated ?? submission)}`);
  return { answered, accepted: await acceptedAt(subject) - began };
};

// Three mails warm the Lambdas up.
const run = Date.now();
for (let warm = 0; warm < 3; warm++) await timed(run, -1 - warm);
const times: Awaited<ReturnType<typeof timed>>[] = [];
for (let number = 0; number < mails; number++) times.push(await timed(run, number));

const percentile = (of: 'answered' | 'accepted', share: number): number => {
  const sorted = times.map((each) => each[of]).toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]!;
};
const lines: ReportLine[] = [
  {
    what: 'submission to SES’s acceptance, p50', figure: percentile('accepted', 0.5), unit: 'ms', atMost: budgets.p50,
    note: `from the request with Email/set and EmailSubmission/set, ${mails} mails one after the other`,
  },
  { what: 'submission to SES’s acceptance, p95', figure: percentile('accepted', 0.95), unit: 'ms', atMost: budgets.p95 },
  { what: 'submission to SES’s acceptance, slowest', figure: percentile('accepted', 1), unit: 'ms' },
  { what: 'submission to its response, p50', figure: percentile('answered', 0.5), unit: 'ms' },
  { what: 'submission to its response, p95', figure: percentile('answered', 0.95), unit: 'ms' },
];
process.stdout.write(`${reportTable(lines)}\n`);
process.exitCode = lines.some(isOver) ? 1 : 0;
