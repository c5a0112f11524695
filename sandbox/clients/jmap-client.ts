import { SandboxError } from '../process/sandbox-error.ts';

type Session = { readonly apiUrl: string; readonly primaryAccounts: Record<string, string>; readonly accounts: Record<string, { name: string }> };
type Invocation<Item = unknown> = readonly [name: string, result: { readonly list?: readonly Item[] }, callId: string];

const mailCapability = 'urn:ietf:params:jmap:mail';

type Mailbox = { readonly id: string; readonly role: string | null };
type Email = { readonly subject: string | null };

const fetchJson = async <Answer>(url: string, init: RequestInit): Promise<Answer> => {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(15_000) });
  if (!answer.ok) throw new SandboxError(`${url} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  const json: Answer = JSON.parse(await answer.text());
  return json;
};

/**
 * The subjects of the messages in a user's inbox, newest first. Calls session, Mailbox/get, Email/query and Email/get
 * like a mail client.
 */
export const inboxSubjects = async (jmapUrl: string, token: string): Promise<string[]> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const session = await fetchJson<Session>(`${jmapUrl}/.well-known/jmap`, { headers });
  const accountId = session.primaryAccounts[mailCapability];
  if (!accountId) throw new SandboxError('The JMAP session has no primary mail account.');
  const call = async <Responses extends readonly Invocation[]>(methodCalls: unknown[]): Promise<Responses> => {
    const body = JSON.stringify({ using: ['urn:ietf:params:jmap:core', mailCapability], methodCalls });
    const answer = await fetchJson<{ readonly methodResponses: Responses }>(session.apiUrl, { method: 'POST', headers, body });
    const failed = answer.methodResponses.find(([name]) => name === 'error');
    if (failed) throw new SandboxError(`JMAP answered ${JSON.stringify(failed[1])}`);
    return answer.methodResponses;
  };
  const [[, mailboxes]] = await call<[Invocation<Mailbox>]>([['Mailbox/get', { accountId, ids: null, properties: ['role'] }, 'm']]);
  const inbox = mailboxes.list?.find(({ role }) => role === 'inbox');
  const [, [, emails]] = await call<[Invocation, Invocation<Email>]>([
    ['Email/query', { accountId, filter: { inMailbox: inbox?.id }, sort: [{ property: 'receivedAt', isAscending: false }], limit: 50 }, 'q'],
    ['Email/get', { accountId, '#ids': { resultOf: 'q', name: 'Email/query', path: '/ids' }, properties: ['subject'] }, 'g'],
  ]);
  return (emails.list ?? []).map(({ subject }) => subject ?? '');
};
