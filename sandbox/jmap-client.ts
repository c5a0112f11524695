import { SandboxError } from './sandbox-error.ts';

type Session = { readonly apiUrl: string; readonly primaryAccounts: Record<string, string>; readonly accounts: Record<string, { name: string }> };
type Invocation = readonly [name: string, result: Record<string, unknown>, callId: string];

const mail = 'urn:ietf:params:jmap:mail';

const listIn = <Item>(invocation: Invocation | undefined): Item[] => (invocation?.[1]['list'] ?? []) as Item[];

const asked = async (url: string, init: RequestInit): Promise<unknown> => {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(15_000) });
  if (!answer.ok) throw new SandboxError(`${url} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  return answer.json();
};

/** Subjects of what is in somebody's inbox, newest first: session, Mailbox/get, Email/query and Email/get, as a mail client does. */
export const inboxSubjects = async (jmapUrl: string, token: string): Promise<string[]> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const session = await asked(`${jmapUrl}/.well-known/jmap`, { headers }) as Session;
  const accountId = session.primaryAccounts[mail];
  if (!accountId) throw new SandboxError('The JMAP session shows no mail account.');
  const call = async (methodCalls: unknown[]): Promise<readonly Invocation[]> => {
    const body = JSON.stringify({ using: ['urn:ietf:params:jmap:core', mail], methodCalls });
    const answer = await asked(session.apiUrl, { method: 'POST', headers, body }) as { methodResponses: Invocation[] };
    const failed = answer.methodResponses.find(([name]) => name === 'error');
    if (failed) throw new SandboxError(`JMAP answered ${JSON.stringify(failed[1])}`);
    return answer.methodResponses;
  };
  const [mailboxes] = await call([['Mailbox/get', { accountId, ids: null, properties: ['role'] }, 'm']]);
  const inbox = listIn<{ id: string; role: string | null }>(mailboxes).find(({ role }) => role === 'inbox');
  const [, emails] = await call([
    ['Email/query', { accountId, filter: { inMailbox: inbox?.id }, sort: [{ property: 'receivedAt', isAscending: false }], limit: 50 }, 'q'],
    ['Email/get', { accountId, '#ids': { resultOf: 'q', name: 'Email/query', path: '/ids' }, properties: ['subject'] }, 'g'],
  ]);
  return listIn<{ subject: string | null }>(emails).map(({ subject }) => subject ?? '');
};
