import { deployed } from './deployment.ts';
import { bearer, eventually, httpRequest, type HttpResponse } from './http-requests.ts';

export const core = 'urn:ietf:params:jmap:core';
export const mail = 'urn:ietf:params:jmap:mail';

export type Session = {
  readonly apiUrl: string;
  readonly uploadUrl: string;
  readonly downloadUrl: string;
  readonly webSocketUrl: string;
  readonly username: string;
  readonly state: string;
  readonly accounts: Record<string, { name: string; isPersonal: boolean; isReadOnly: boolean }>;
  readonly primaryAccounts: Record<string, string>;
  readonly capabilities: Record<string, Record<string, unknown>>;
};
/** A method call or its response: name, arguments, call id (RFC 8620 §3.2). */
export type Invocation = readonly [string, Record<string, unknown>, string];
/** A response's arguments. `failed` marks an `error` response. */
export type Result = Record<string, unknown> & { readonly failed?: true };

export type JmapClient = {
  readonly session: Session;
  readonly accountId: string;
  /**
   * POSTs method calls, with the account's id in their arguments. The request is repeated while the server is busy
   * (503).
   * @returns the arguments of the responses, in order.
   */
  call(...methodCalls: [string, Record<string, unknown>][]): Promise<Result[]>;
  download(blobId: string, type?: string, name?: string, accountId?: string): Promise<Response>;
  /** Requests a download with another method or additional header fields. */
  requestDownload(blobId: string, method: 'GET' | 'HEAD', headers?: Readonly<Record<string, string>>): Promise<Response>;
  upload(content: RequestInit['body'], type: string): Promise<HttpResponse>;
};

export const getSession = (token: string | undefined): Promise<HttpResponse> => httpRequest(`${deployed.jmapUrl}/.well-known/jmap`, { headers: bearer(token) });

/**
 * A mail client of one user. It knows only the session's URL and the token, and takes everything else from the session
 * (RFC 8620 §2).
 */
export const jmapClient = async (token: string): Promise<JmapClient> => {
  const session = (await getSession(token)).json as Session;
  const accountId = session.primaryAccounts[mail]!;
  const downloadUrl = (values: Readonly<Record<string, string>>): string =>
    session.downloadUrl.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(values[key] ?? ''));
  return {
    session,
    accountId,
    async call(...methodCalls) {
      const body = {
        using: Object.keys(session.capabilities),
        methodCalls: methodCalls.map(([name, args], index) => [name, { accountId, ...args }, `c${index}`]),
      };
      const answer = await httpRequest(
        session.apiUrl,
        { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...bearer(token) } },
        [429, 503],
      );
      expect({ status: answer.status, body: answer.status === 200 ? undefined : answer.text }).toEqual({ status: 200, body: undefined });
      return (answer.json as { methodResponses: Invocation[] }).methodResponses.map(([name, result]) => ({
        ...result,
        ...(name === 'error' ? { failed: true as const } : {}),
      }));
    },
    download(blobId, type = 'application/octet-stream', name = 'blob', account = accountId) {
      return fetch(downloadUrl({ accountId: account, blobId, type, name }), { headers: bearer(token) });
    },
    requestDownload(blobId, method, headers) {
      const url = downloadUrl({ accountId, blobId, type: 'application/octet-stream', name: 'blob' });
      return fetch(url, { method, headers: { ...bearer(token), ...headers } });
    },
    upload: (content, type) =>
      httpRequest(session.uploadUrl.replace('{accountId}', accountId), { method: 'POST', body: content, headers: { 'content-type': type, ...bearer(token) } }),
  };
};

/** The id of the mailbox with a role. */
export const mailboxIdOf = async (client: JmapClient, role: string): Promise<string> => {
  const [mailboxes] = await client.call(['Mailbox/get', { ids: null, properties: ['role'] }]);
  return (mailboxes!['list'] as { id: string; role: string | null }[]).find((mailbox) => mailbox.role === role)!.id;
};

/** The id of the Identity with this address. */
export const identityIdOf = async (client: JmapClient, email: string): Promise<string> => {
  const [identities] = await client.call(['Identity/get', { ids: null, properties: ['email'] }]);
  return (identities!['list'] as { id: string; email: string }[]).find((identity) => identity.email === email)!.id;
};

export type MailboxEmail = Record<string, unknown> & { readonly id: string; readonly subject: string };

/**
 * The 50 newest messages of a mailbox, as clients open it: Email/query, and Email/get by result reference, in one
 * request.
 */
export const openMailbox = async (
  client: JmapClient,
  role: string,
  properties: readonly string[] = ['subject'],
): Promise<{ emails: MailboxEmail[]; state: string }> => {
  const inMailbox = await mailboxIdOf(client, role);
  const [, emails] = await client.call(
    ['Email/query', { filter: { inMailbox }, sort: [{ property: 'receivedAt', isAscending: false }], limit: 50 }],
    ['Email/get', { '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' }, properties }],
  );
  return { emails: emails!['list'] as MailboxEmail[], state: emails!['state'] as string };
};

/** Waits for a message with a subject, which must occur once in the mailbox. */
export const receivedEmail = (client: JmapClient, role: string, subject: string, properties: readonly string[] = ['subject']): Promise<MailboxEmail> =>
  eventually(async () => {
    const { emails } = await openMailbox(client, role, properties);
    const found = emails.filter((email) => email.subject === subject);
    expect(found).toHaveLength(1);
    return found[0]!;
  });
