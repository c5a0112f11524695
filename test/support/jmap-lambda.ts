import { defaultSendLimits, type SendLimits } from '../../contract/deployment/sending.ts';
import { capability } from '../../contract/jmap/core.ts';
import { defaultQuota, type QuotaAmounts } from '../../contract/jmap/quota.ts';
import { mailScopes } from '../../contract/oauth/oauth.ts';
import { accountBlobs } from '../../core/blobs/account-blobs.ts';
import { cardMedia } from '../../core/blobs/card-media.ts';
import { messageStore } from '../../core/blobs/message-store.ts';
import { uploadedOctetsIn } from '../../core/blobs/uploaded-octets.ts';
import { sendingRightsIn } from '../../core/directory/aliases/may-send.ts';
import { profileWrite } from '../../core/directory/users/member-profile.ts';
import { principalsIn, type Role } from '../../core/directory/users/principals.ts';
import type { MailStore } from '../../core/mail/mail-store/mail-store.ts';
import { addressRule } from '../../core/push/web-push/public-address.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { AccessToken } from '../../core/runtime/http/access-token.ts';
import type { HttpRequest } from '../../core/runtime/http/http.ts';
import { jmapGate } from '../../core/runtime/http/jmap-gate.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import type { Log } from '../../core/runtime/log.ts';
import { emailSearch } from '../../core/search/email-search.ts';
import { submissionsIn } from '../../core/sending/submission/submissions.ts';
import type { SubmitQueue } from '../../core/sending/submission/submit-queue.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { Table } from '../../core/storage/table.ts';
import { methods as allMethods } from '../../lambdas/jmap/methods.ts';
import type { JmapDependencies } from '../../lambdas/jmap/request/answer-request.ts';
import type { Methods } from '../../lambdas/jmap/request/method.ts';
import { SeenMembers } from '../../lambdas/jmap/request/opening-accounts.ts';
import { forwardingDependencies, webPushDependencies } from '../../lambdas/jmap/request/request-context.ts';
import { SessionStates } from '../../lambdas/jmap/request/session-resource.ts';
import { jmapHttpHandler } from '../../lambdas/jmap/serve-http.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import { memorySubmitQueue } from '../fakes/memory-submit-queue.ts';
import { memoryTable } from '../fakes/memory-table.ts';

/** A parsed JSON response. */
export type Json = Record<string, ReturnType<typeof JSON.parse>>;
export type Call = readonly [name: string, args: Json, id: string];
export type Response = readonly [name: string, args: Json, id: string];

export const settings = {
  jmapUrl: 'https://jmap.example.test',
  uploadUrl: 'https://jmap.example.test/upload',
  downloadUrl: 'https://jmap.example.test/download',
  webSocketUrl: 'wss://ws.example.test/jmap',
  mailDomain: 'example.test',
  mayForwardOutside: true,
};

/** The capabilities that most requests name. */
export const mailAndCore = [capability.core, capability.mail];

/** An access token that is valid until 9 o'clock on 21 November 2026. */
export const tokenOf = (principalId: string, scopes: readonly string[] = mailScopes, isMachine = false): AccessToken => ({
  principalId,
  isMachine,
  clientId: 'client',
  scopes: new Set(scopes),
  authenticatedAt: 0,
  expiresAt: Date.UTC(2026, 10, 21, 9, 0) / 1000,
});

/** Adds people and memberships to a directory. */
export const directoryEntries = (directory: Table, now: Clock) => {
  let memberships = 0;
  return {
    addUser: (userId: string, attributes: Json = {}) => {
      const user = { user_id: userId, primary_email: `${userId}@example.test`, is_active: true, is_admin: false, is_deleted: false, ...attributes };
      return directory.write([{ put: { pk: 'user', sk: userId, ...user } }, profileWrite(user)]);
    },
    addMember: (userId: string, accountId: string, role: Role, isOwner: boolean) =>
      directory.write([
        {
          put: {
            pk: `member#${userId}`,
            sk: accountId,
            role,
            account_name: `${accountId}’s mail`,
            is_owner: isOwner,
            created_at: new Date(now().getTime() + ++memberships).toISOString(),
          },
        },
      ]),
    /** Adds the items that permit a member to send from the address: account, membership, alias and domain. */
    addSender: (userId: string, accountId: string, email: string, role: Role = 'ADMIN') =>
      directory.write([
        { put: { pk: 'account', sk: accountId } },
        { put: { pk: `account-member#${accountId}`, sk: userId, role } },
        { put: { pk: 'address', sk: email, state: 'ready', is_active: true, can_send_from: true, account_id: accountId, alias_id: `alias_${userId}` } },
        { put: { pk: 'domain-name', sk: email.slice(email.indexOf('@') + 1), state: 'ready', send_enabled: true, domain_id: 'dom_1' } },
      ]),
  };
};

type JmapLambdaDependencies = {
  readonly directory: Table;
  readonly mail: Table;
  readonly objects: Objects;
  readonly store: MailStore;
  /** The queue of the mail-cleanup Lambda. */
  readonly removals: Queue;
  /** The sending table; absent in tests that send nothing. */
  readonly sending?: Table;
  readonly sendLimits?: SendLimits;
  readonly submits?: SubmitQueue;
  /** The inbound queue, which gets requests for links of forwardings. */
  readonly inbound?: Queue;
  readonly mayForwardOutside?: boolean;
  /** The queue of the push-delivery Lambda. */
  readonly pushes: Queue;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: Log;
  /** The principals of the tokens that clients may send. */
  readonly tokens: Record<string, AccessToken>;
  readonly quotaDefaults?: QuotaAmounts;
  readonly methods?: Methods;
  /** Creates the keys of new messages. Default: random keys. */
  readonly newMessageKey?: () => string;
};

/** One instance of the jmap Lambda. */
export const jmapLambda = ({
  directory,
  mail,
  objects,
  store,
  removals,
  pushes,
  clock,
  newId,
  log,
  tokens,
  quotaDefaults = defaultQuota,
  methods = allMethods,
  newMessageKey,
  sending = memoryTable(),
  sendLimits = defaultSendLimits,
  submits = memorySubmitQueue(),
  inbound = memoryQueue(),
  mayForwardOutside = settings.mayForwardOutside,
}: JmapLambdaDependencies) => {
  const jmap: JmapDependencies = {
    principals: principalsIn(directory),
    seenMembers: new SeenMembers(),
    sessionStates: new SessionStates(),
    mailTable: mail,
    dependencies: {
      store,
      search: emailSearch({ table: mail, objects, log: memoryLog(), clock }),
      objects,
      blobs: accountBlobs(mail, objects),
      messages: messageStore({ table: mail, objects, removals, newMessageKey }),
      cardMedia: cardMedia({ objects, removals }),
      quotaDefaults,
      unparsedMessages: { mailTable: mail, clock, log },
      uploadedOctets: uploadedOctetsIn(mail, quotaDefaults, clock),
      sending: { submissions: submissionsIn(sending), rights: sendingRightsIn(directory), objects, queue: submits, sendLimits, log },
      forwarding: forwardingDependencies(directory, { queue: inbound, mayForwardOutside }),
      webPush: webPushDependencies(mail, { queue: pushes, isAllowedAddress: addressRule(), clock }),
      clock,
      mailDomain: settings.mailDomain,
      newId,
    },
    methods,
    settings: { ...settings, mayForwardOutside },
    log,
    eventSourceQueueUrls: ['https://sqs.test/1/wait-0', 'https://sqs.test/1/wait-1'],
    clock,
  };
  const verify = async (token: string) => tokens[token];
  const newHandler = () => jmapHttpHandler(jmap, jmapGate(verify, settings.jmapUrl));
  let answer = newHandler();

  /** An HTTP request as API Gateway passes it to the Lambda. */
  const http = (
    method: string,
    rawPath: string,
    {
      token = 'alice',
      headers = {},
      query,
      rawQueryString,
      body,
    }: { token?: string | null; headers?: Record<string, string>; query?: Record<string, string>; rawQueryString?: string; body?: string | Buffer } = {},
  ) =>
    answer({
      rawPath,
      rawQueryString,
      queryStringParameters: query,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : body?.toString('base64'),
      isBase64Encoded: Buffer.isBuffer(body),
      requestContext: { http: { method } },
    } as unknown as HttpRequest);

  /** Sends an API request; returns the status and the parsed body. */
  const request = async (body: unknown, options: { token?: string | null } = {}): Promise<{ readonly status: number; readonly body: Json }> => {
    const response = await http('POST', '/jmap', { ...options, body: JSON.stringify(body) });
    return { status: response.statusCode!, body: JSON.parse(response.body!) as Json };
  };

  /** Performs method calls; returns their responses. @throws Error when the request fails as a whole. */
  const perform = async (methodCalls: readonly Call[], options: { token?: string; using?: readonly string[] } = {}): Promise<readonly Response[]> => {
    const { status, body } = await request({ using: options.using ?? mailAndCore, methodCalls }, options);
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body['methodResponses'] as Response[];
  };

  return {
    jmap,
    verify,
    http,
    request,
    perform,
    /** Forgets the clients of the event source, as a new instance of the Lambda does. */
    forgetClients: () => {
      answer = newHandler();
    },
  };
};
