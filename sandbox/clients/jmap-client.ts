import { SandboxError } from '../process/sandbox-error.ts';

type Session = { readonly apiUrl: string; readonly primaryAccounts: Record<string, string>; readonly accounts: Record<string, { name: string }> };
type Invocation = readonly [name: string, result: Record<string, unknown>, callId: string];

const mailCapability = 'urn:ietf:params:jmap:mail';

const listOf = <Item>(invocation: Invocation | undefined): Item[] => (invocation?.[1]['list'] ?? []) as Item[];

const fetchJson = async (url: string, init: RequestInit): Promise<unknown> => {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(15_000) });
  if (!answer.ok) throw new SandboxError(`${url} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  return answer.json();
};

/**
 * The subjects of the messages in a user's inbox, newest first. Calls session, Mailbox/get, Email/query and Email/get
 * like a mail client.
 */
export const inboxSubjects = async (jmapUrl: string, token: string): Promise<string[]> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const session = (await fetchJson(`${jmapUrl}/.well-known/jmap`, { headers })) as Session;
  const accountId = session.primaryAccounts[mailCapability];
  if (!accountId) throw new SandboxError('The JMAP session has no primary mail account.');
  const call = async (methodCalls: unknown[]): Promise<readonly Invocation[]> => {
    const body = JSON.stringify({ using: ['urn:ietf:params:jmap:core', mailCapability], methodCalls });
    const answer = (await fetchJson(session.apiUrl, { method: 'POST', headers, body })) as { methodResponses: Invocation[] };
    const failed = answer.methodResponses.find(([name]) => name === 'error');
    if (failed) throw new SandboxError(`JMAP answered ${JSON.stringify(failed[1])}`);
    return answer.methodResponses;
  };
  const [mailboxes] = await call([['Mailbox/get', { accountId, ids: null, properties: ['role'] }, 'm']]);
  const inbox = listOf<{ id: string; role: string | null }>(mailboxes).find(({ role }) => role === 'inbox');
  const [, emails] = await call([
    ['Email/query', { accountId, filter: { inMailbox: inbox?.id }, sort: [{ property: 'receivedAt', isAscending: false }], limit: 50 }, 'q'],
    ['Email/get', { accountId, '#ids': { resultOf: 'q', name: 'Email/query', path: '/ids' }, properties: ['subject'] }, 'g'],
  ]);
  return listOf<{ subject: string | null }>(emails).map(({ subject }) => subject ?? '');
};
