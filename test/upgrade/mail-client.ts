import { setTimeout as delay } from 'node:timers/promises';
import { signInUser } from '../../sandbox/deployment/welcome-mail.ts';
import type { SandboxDescription, SandboxUser } from '../../sandbox/state/sandbox-description.ts';

export type Result = Record<string, unknown>;

/** Calls JMAP methods for a user, with the account's id in their arguments. @throws Error for an error of JMAP. */
export type MailClient = {
  readonly token: string;
  readonly accountId: string;
  call(...methodCalls: readonly [name: string, args: Record<string, unknown>][]): Promise<Result[]>;
};

type Session = { apiUrl: string; capabilities: Record<string, unknown>; primaryAccounts: Record<string, string> };

/** Maximum attempts of a request while a deployment replaces the Lambdas that respond to it. */
const maxAttempts = 60;

/** Fetches JSON. After a failure of the network or the server, it tries again a second later. */
const fetchJson = async (url: string, init: RequestInit): Promise<unknown> => {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) }).catch((error: unknown) => error as Error);
    if (!(response instanceof Error) && response.ok) return response.json();
    const reason = response instanceof Error ? response.message : `${response.status} ${await response.text()}`;
    if (attempt === maxAttempts) throw new Error(`${url}: ${reason}`);
    await delay(1_000);
  }
};

export const mailClientOf = async (person: SandboxUser, sandbox: SandboxDescription): Promise<MailClient> => {
  const token = await signInUser(person, sandbox);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const session = (await fetchJson(`${sandbox.jmapUrl}/.well-known/jmap`, { headers })) as Session;
  const accountId = session.primaryAccounts['urn:ietf:params:jmap:mail']!;
  return {
    token,
    accountId,
    async call(...methodCalls) {
      const body = JSON.stringify({
        using: Object.keys(session.capabilities),
        methodCalls: methodCalls.map(([name, args], index) => [name, { accountId, ...args }, `c${index}`]),
      });
      const { methodResponses } = (await fetchJson(session.apiUrl, { method: 'POST', headers, body })) as { methodResponses: [string, Result, string][] };
      return methodResponses.map(([name, result]) => {
        if (name === 'error') throw new Error(`JMAP: ${JSON.stringify(result)}`);
        return result;
      });
    },
  };
};

/** The subjects of all Emails of the account that contain a text. A subject is repeated for each Email. */
export const subjectsWith = async (client: MailClient, text: string): Promise<string[]> => {
  const subjects: string[] = [];
  for (let position = 0; ; position += 200) {
    const [{ ids }, { list }] = (await client.call(
      ['Email/query', { position, limit: 200 }],
      ['Email/get', { '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' }, properties: ['subject'] }],
    )) as [{ ids: string[] }, { list: { subject: string | null }[] }];
    subjects.push(...list.map(({ subject }) => subject ?? '').filter((subject) => subject.includes(text)));
    if (ids.length < 200) return subjects;
  }
};

/** Waits until `find` returns a value. @throws Error after three minutes. */
export const untilFound = async <T>(find: () => Promise<T | undefined> | T | undefined, what: string): Promise<T> => {
  for (const until = Date.now() + 180_000; Date.now() < until; await delay(500)) {
    const found = await find();
    if (found !== undefined) return found;
  }
  throw new Error(`no ${what} within three minutes`);
};

/** Submits a message that is held for some seconds. @returns the id of the submission. */
export const submitHeld = async (client: MailClient, email: string, subject: string, seconds: number): Promise<string> => {
  const [{ list: identities }, { list: mailboxes }] = (await client.call(['Identity/get', {}], ['Mailbox/get', { properties: ['role'] }])) as [
    { list: { id: string }[] },
    { list: { id: string; role: string | null }[] },
  ];
  const drafts = mailboxes.find(({ role }) => role === 'drafts')!.id;
  const [, result] = (await client.call(
    [
      'Email/set',
      {
        create: {
          draft: {
            mailboxIds: { [drafts]: true },
            from: [{ email }],
            to: [{ email: 'dora@elsewhere.test' }],
            subject,
            bodyStructure: { partId: '1', type: 'text/plain' },
            bodyValues: { 1: { value: 'Held.' } },
          },
        },
      },
    ],
    [
      'EmailSubmission/set',
      {
        create: {
          held: {
            emailId: '#draft',
            identityId: identities[0]!.id,
            envelope: { mailFrom: { email, parameters: { HOLDFOR: String(seconds) } }, rcptTo: [{ email: 'dora@elsewhere.test', parameters: null }] },
          },
        },
      },
    ],
  )) as [unknown, { created?: Record<string, { id: string }>; notCreated?: unknown }];
  const id = result.created?.['held']?.id;
  if (!id) throw new Error(`no submission: ${JSON.stringify(result)}`);
  return id;
};

/** The subjects of mail that left the deployment. */
export const sentSubjects = async (sandbox: SandboxDescription): Promise<string[]> =>
  ((await (await fetch(new URL('messages.json', sandbox.outboxUrl))).json()) as { messages: { subject: string }[] }).messages.map(({ subject }) => subject);
