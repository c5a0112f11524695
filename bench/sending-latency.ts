import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cliCallbackUrls } from '../contract/oauth.ts';
import { capability } from '../contract/jmap/core.ts';
import { signIn } from '../sandbox/hosted-sign-in.ts';
import type { SandboxDescription } from '../sandbox/sandbox-description.ts';
import { isOver, reportTable, type ReportLine } from './report-table.ts';

/** `npm run bench:sending -- --outputs .postrider/sandbox.json [--mails 50]`: see README.md beside this file. */
const { values } = parseArgs({
  options: { outputs: { type: 'string', default: '.postrider/sandbox.json' }, mails: { type: 'string', default: '50' } },
});
const sandbox = JSON.parse(readFileSync(values.outputs, 'utf8')) as SandboxDescription;
const mails = Number(values.mails);

/** Budgets from the request to SES's acceptance, in milliseconds: median and 95th percentile. */
const budgets = { p50: 500, p95: 1000 } as const;
/** Milliseconds after which a mail counts as lost. */
const sendTimeout = 30_000;

const { email, password, accountId } = sandbox.users.find((user) => user.email.startsWith('alice@'))!;
const { access_token: token } = await signIn({
  authUrl: sandbox.authUrl, clientId: sandbox.clients.cli.clientId, redirectUri: cliCallbackUrls[0], email, password,
});

type Arguments = Record<string, unknown>;

const call = async (...calls: readonly [string, Arguments][]): Promise<readonly Arguments[]> => {
  const response = await fetch(`${sandbox.jmapUrl}/jmap`, {
    method: 'POST', headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      using: [capability.core, capability.mail, capability.submission],
      methodCalls: calls.map(([name, args], index) => [name, { accountId, ...args }, `c${index}`]),
    }),
  });
  const { methodResponses } = await response.json() as { methodResponses: readonly [string, Arguments, string][] };
  return methodResponses.map(([, args]) => args);
};

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
