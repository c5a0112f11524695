import type { AuditLog } from '../../contract/admin/audit.ts';
import { services, type ServiceName } from '../../contract/admin/index.ts';
import type { MonitoredResources } from '../../contract/deployment/monitored-resources.ts';
import { defaultSendLimits } from '../../contract/deployment/sending.ts';
import { defaultQuota, type QuotaAmounts } from '../../contract/jmap/quota.ts';
import { scopes } from '../../contract/oauth/oauth.ts';
import { commonErrors, type Service } from '../../contract/rpc/rpc.ts';
import { accountRemovalsIn } from '../../core/directory/accounts/account-removals.ts';
import { accountRestorationsIn } from '../../core/directory/accounts/account-restorations.ts';
import { accountsIn } from '../../core/directory/accounts/accounts.ts';
import { addressesIn } from '../../core/directory/aliases/addresses.ts';
import { aliasIdentitiesIn } from '../../core/directory/aliases/alias-identities.ts';
import { aliasMovesIn } from '../../core/directory/aliases/alias-moves.ts';
import { aliasesIn } from '../../core/directory/aliases/aliases.ts';
import { catchAllsIn } from '../../core/directory/aliases/catch-alls.ts';
import { domainIdentitiesIn } from '../../core/directory/aliases/domain-identities.ts';
import { identityTasksIn } from '../../core/directory/aliases/identity-tasks.ts';
import { sendingRightsIn } from '../../core/directory/aliases/may-send.ts';
import { auditEntriesIn, auditTrailIn, type AuditTrail } from '../../core/directory/audit-log.ts';
import { changeRequestsIn } from '../../core/directory/change-requests/change-requests.ts';
import { domainsIn } from '../../core/directory/domains/domains.ts';
import { emailIdentitiesIn } from '../../core/directory/domains/email-identities.ts';
import { findForwardTargets } from '../../core/directory/forwarding/forward-targets.ts';
import { forwardingsIn } from '../../core/directory/forwarding/forwardings.ts';
import { groupReceiversIn } from '../../core/directory/groups/group-receivers.ts';
import { groupsIn } from '../../core/directory/groups/groups.ts';
import { problemSubscribersIn } from '../../core/directory/problems/problem-subscribers.ts';
import { problemsIn } from '../../core/directory/problems/problems.ts';
import { providerPositionsIn } from '../../core/directory/provider-positions.ts';
import { roleAssumptionsIn } from '../../core/directory/role-assumptions.ts';
import { setupIn } from '../../core/directory/setup.ts';
import { findSimilarIn } from '../../core/directory/similar.ts';
import { supportCasesIn } from '../../core/directory/support-cases.ts';
import { adminProtectionIn } from '../../core/directory/users/admin-protection.ts';
import { membersIn } from '../../core/directory/users/members.ts';
import { usersIn, type NewUser, type Users } from '../../core/directory/users/users.ts';
import { accountSendLimitsIn } from '../../core/mail/account-send-limits.ts';
import { mailStore, storedAccountIdentities } from '../../core/mail/mail-store/table-mail-store.ts';
import { adminGate, findPersonIn } from '../../core/rpc/admin-gate.ts';
import type { AdminMethods } from '../../core/rpc/admin-method.ts';
import { serve, type HttpHandler, type PipeDependencies } from '../../core/rpc/admin-pipe.ts';
import { actorOf } from '../../core/rpc/audit.ts';
import { pageTokens } from '../../core/rpc/page-token.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { AccessToken, VerifyAccessToken } from '../../core/runtime/http/access-token.ts';
import type { HttpRequest } from '../../core/runtime/http/http.ts';
import { newId } from '../../core/runtime/ids.ts';
import { mailFeedbackIn } from '../../core/sending/feedback/mail-feedback.ts';
import { suppressionsIn } from '../../core/sending/feedback/suppressions.ts';
import { sentMailIndexIn } from '../../core/sending/submission/sent-mail-index.ts';
import { submissionsIn } from '../../core/sending/submission/submissions.ts';
import type { Table } from '../../core/storage/table.ts';
import { accountsService } from '../../lambdas/admin/accounts/accounts-service.ts';
import { aliasesService } from '../../lambdas/admin/aliases/aliases-service.ts';
import { auditService } from '../../lambdas/admin/audit/audit-service.ts';
import { changeRequestsService } from '../../lambdas/admin/change-requests/change-requests-service.ts';
import { domainsService } from '../../lambdas/admin/domains/domains-service.ts';
import { emailIdentitiesService } from '../../lambdas/admin/email-identities/email-identities-service.ts';
import { mailFeedbackService } from '../../lambdas/admin/mail-feedback/mail-feedback-service.ts';
import { monitoringService } from '../../lambdas/admin/monitoring/monitoring-service.ts';
import { setupService } from '../../lambdas/admin/setup/setup-service.ts';
import { statusService } from '../../lambdas/admin/status/status-service.ts';
import { supportService } from '../../lambdas/admin/support/support-service.ts';
import { suppressionService } from '../../lambdas/admin/suppression/suppression-service.ts';
import { usersService } from '../../lambdas/admin/users/users-service.ts';
import { memoryAssumptionLookup } from '../fakes/memory-assumption-lookup.ts';
import { memoryDeadLetters } from '../fakes/memory-dead-letters.ts';
import { memoryDnsProvider } from '../fakes/memory-dns-provider.ts';
import { memoryEmailProvider } from '../fakes/memory-email-provider.ts';
import { memoryIdentityProvider } from '../fakes/memory-identity-provider.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryLogs } from '../fakes/memory-logs.ts';
import { memoryMetrics } from '../fakes/memory-metrics.ts';
import { memoryObjects } from '../fakes/memory-objects.ts';
import { memoryPublicDns } from '../fakes/memory-public-dns.ts';
import { memoryQueueDepths } from '../fakes/memory-queue-depths.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import { memorySenderAddresses } from '../fakes/memory-sender-addresses.ts';
import { memorySubmitQueue } from '../fakes/memory-submit-queue.ts';
import { memorySupportRoles } from '../fakes/memory-support-roles.ts';
import { memorySystemMail } from '../fakes/memory-system-mail.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { perTest } from './per-test.ts';

/** Client ids of two headless clients: one with the scope adminApi/ADMIN, one that only reads mail. */
export const headlessClientIds = ['adminheadless', 'jmapheadless'] as const;
const headlessClients = new Map([
  ['adminheadless', 'AdminHeadless'],
  ['jmapheadless', 'JmapHeadless'],
]);

const userToken = (principalId: string, ...granted: string[]): AccessToken => ({
  principalId,
  isMachine: false,
  clientId: 'console',
  scopes: new Set(granted),
  authenticatedAt: 0,
  expiresAt: 4_000_000_000,
});
const machineToken = (principalId: string, ...granted: string[]): AccessToken => ({
  ...userToken(principalId, ...granted),
  isMachine: true,
  clientId: principalId,
});

/** The valid access tokens, by the bearer token of the Authorization header. */
export const knownTokens = {
  admin: userToken('user_admin', scopes.ADMIN, scopes.MAIL_READ),
  'admin-for-mail-only': userToken('user_admin', scopes.MAIL_READ),
  helpdesk: userToken('user_helpdesk', scopes.ADMIN),
  'read-only': userToken('user_reader', scopes.ADMIN),
  person: userToken('user_person', scopes.MAIL_READ),
  // The directory decides, not the scopes of the token.
  'former-admin': userToken('user_person', scopes.ADMIN),
  'inactive-admin': userToken('user_inactive', scopes.ADMIN),
  'deleted-admin': userToken('user_deleted', scopes.ADMIN),
  'unknown-user': userToken('user_unknown', scopes.ADMIN),
  'no-subject': userToken('', scopes.ADMIN),
  machine: machineToken('adminheadless', scopes.ADMIN),
  'mail-machine': machineToken('jmapheadless', scopes.MAIL_READ),
} as const;
export type TokenName = keyof typeof knownTokens;

const verifyKnownToken: VerifyAccessToken = async (token) => (Object.hasOwn(knownTokens, token) ? knownTokens[token as TokenName] : undefined);

/** The principals that can assume the support roles. */
export const supportPrincipals = ['arn:aws:iam::111122223333:role/supporters'] as const;
export const supportRoleArns = { DIAG: 'arn:aws:iam::000000000000:role/diag', CONFIG_READ: 'arn:aws:iam::000000000000:role/config-read' } as const;

/** The resources that the methods of /monitoring read. */
export const monitoredResources: MonitoredResources = {
  stack: 'Postrider',
  apis: [
    { name: 'admin', id: 'a1', stage: '$default', kind: 'http' },
    { name: 'web-socket', id: 'w1', stage: 'jmap', kind: 'web-socket' },
  ],
  functions: ['deliver', 'jmap'],
  queues: { 'InboundMail/Waiting': 'waiting-1', 'InboundMail/Waiting/DeadLetters': 'dead-1' },
  inboundTopic: 'received-1',
};

const createdAt = '2026-01-01T00:00:00.000Z';

const storedUser = (name: string, fields: Partial<NewUser>): NewUser => ({
  user_id: `user_${name}`,
  name,
  primary_email: `${name}@example.test`,
  is_active: true,
  is_admin: true,
  is_deleted: false,
  idp_identities: [],
  created_at: createdAt,
  updated_at: createdAt,
  temporary_password_at: createdAt,
  last_sign_in_at: createdAt,
  ...fields,
});

const store = async (users: Users, stored: readonly NewUser[]) => {
  for (const user of stored) {
    await users.reserve(user.primary_email!, user.user_id);
    await users.complete(user, []);
  }
};

/** Stores the admins of the tokens `helpdesk` and `read-only`. */
export const storeLimitedAdmins = ({ users }: { readonly users: Users }) =>
  store(users, [storedUser('helpdesk', { admin_role: 'HELPDESK' }), storedUser('reader', { admin_role: 'READ_ONLY' })]);

/** Stores the users of the other {@link knownTokens}. */
const storeUsers = (directory: Table, clock: Clock) =>
  store(usersIn(directory, clock), [
    storedUser('admin', {}),
    storedUser('person', { is_admin: false }),
    storedUser('inactive', { is_active: false }),
    storedUser('deleted', { is_active: false, is_deleted: true }),
  ]);

/** Registers the actors of the tokens `admin` and `machine`, so that tests do not count these writes. */
const registerActors = async (trail: AuditTrail, timestamp: string) => {
  const callers = [
    { principalId: 'user_admin', isMachine: false, role: 'ALL', email: 'admin@example.test' },
    { principalId: 'adminheadless', isMachine: true, role: 'ALL' },
  ] as const;
  for (const caller of callers) await trail.registerActor(actorOf(caller, { ipAddress: '', userAgent: undefined }), timestamp);
};

export type AdminResponse = {
  readonly status: number;
  readonly body: Record<string, unknown> & { code?: string; message?: string };
  readonly headers: Record<string, unknown>;
};

type RequestOptions = { readonly token?: string; readonly verb?: string; readonly base64?: boolean };

/** The event that API Gateway sends to a Lambda for a request. */
export const httpEvent = (path: string, body: string, { token, verb = 'POST', base64 = false }: RequestOptions = {}): HttpRequest => ({
  version: '2.0',
  routeKey: 'ANY /x/{proxy+}',
  rawPath: path,
  rawQueryString: '',
  headers: { 'content-type': 'application/json', 'user-agent': 'test', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  requestContext: {
    accountId: '000000000000',
    apiId: 'api',
    domainName: 'api.example.test',
    domainPrefix: 'api',
    requestId: 'request-1',
    routeKey: '',
    stage: '$default',
    time: '',
    timeEpoch: 0,
    http: { method: verb, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
  },
  body,
  isBase64Encoded: base64,
});

/** A clock that never returns the same time twice, so that the order of events is certain even in a fast test. */
const tickingClock = (): Clock => {
  let last = 0;
  return () => {
    last = Math.max(Date.now(), last + 1);
    return new Date(last);
  };
};

/** Fails a test in which a method responds with an error code that its contract does not declare. */
const expectDeclaredError = (path: string, verb: string, { body }: AdminResponse): void => {
  const method = everyMethod.find((candidate) => candidate.path === path && verb === 'POST')?.method;
  const declared: readonly string[] = method ? [...commonErrors, ...method.errors] : [String(body.code)];
  if (!declared.includes(String(body.code))) {
    throw new Error(`${path} responded with ${body.code}, which its contract does not declare: ${body.message}`);
  }
};

export type AdminApiOptions = {
  readonly directory?: Table;
  readonly mail?: Table;
  readonly sending?: Table;
  readonly verifyToken?: VerifyAccessToken;
  readonly clock?: Clock;
  readonly objects?: ReturnType<typeof memoryObjects>;
  readonly quotaDefaults?: QuotaAmounts;
  /** Seconds for which deleted mail, accounts and users can be restored. Default: 14 days. */
  readonly recoverableSeconds?: number;
  /** Whether admins see subjects. Default: true. */
  readonly recordsSubjects?: boolean;
  /** Whether accounts may forward to addresses outside. Default: true. */
  readonly mayForwardOutside?: boolean;
  /** Default: true. */
  readonly cognitoSendsBySes?: boolean;
  readonly resources?: MonitoredResources;
};

/** The admin API over fakes in memory: an HTTP event in, a response out. */
export const adminApi = async ({
  directory = memoryTable(),
  mail = memoryTable(),
  sending = memoryTable(),
  verifyToken = verifyKnownToken,
  clock = tickingClock(),
  objects = memoryObjects(clock),
  quotaDefaults = defaultQuota,
  recoverableSeconds = 14 * 24 * 60 * 60,
  recordsSubjects = true,
  mayForwardOutside = true,
  cognitoSendsBySes = true,
  resources = monitoredResources,
}: AdminApiOptions = {}) => {
  await storeUsers(directory, clock);
  const trail = auditTrailIn(directory);
  await registerActors(trail, clock().toISOString());

  const providers = {
    identityProvider: memoryIdentityProvider(),
    systemMail: memorySystemMail(),
    emailProvider: memoryEmailProvider(),
    dns: memoryPublicDns(),
    dnsProvider: memoryDnsProvider(),
    senderAddresses: memorySenderAddresses(),
    metrics: memoryMetrics(),
    logs: memoryLogs(),
    queueDepths: memoryQueueDepths(),
    deadLetters: memoryDeadLetters(clock),
    supportRoles: memorySupportRoles(),
    assumptionLookup: memoryAssumptionLookup(),
    concurrency: { limits: async () => ({ account_limit: 10, unreserved_concurrency: 10 }) },
  };
  const queues = { inboundQueue: memoryQueue(), removalQueue: memoryQueue(), mailCleanupQueue: memoryQueue(), submitQueue: memorySubmitQueue() };
  const log = memoryLog();
  const store = mailStore({ table: mail, quotaDefaults, clock });

  const aliasIdentities = aliasIdentitiesIn(directory, storedAccountIdentities(mail));
  const stores = {
    users: usersIn(directory, clock),
    domains: domainsIn(directory),
    domainIdentities: domainIdentitiesIn(directory, storedAccountIdentities(mail), identityTasksIn(directory)),
    accounts: accountsIn(directory),
    aliases: aliasesIn(directory, aliasIdentities, suppressionsIn(sending)),
    aliasMoves: aliasMovesIn(directory, aliasIdentities),
    members: membersIn(directory, headlessClients),
    setup: setupIn(directory),
    suppressions: suppressionsIn(sending),
    addresses: addressesIn(directory),
    groups: groupsIn(directory),
    catchAlls: catchAllsIn(directory),
    forwardings: forwardingsIn(directory),
    groupReceivers: groupReceiversIn(directory),
    protection: adminProtectionIn(directory),
  };
  const shared = { ...stores, ...providers, newId, clock, recoverableSeconds, log, mailDomain: 'example.test', region: 'us-east-1' };
  const dependencies: PipeDependencies = {
    gate: adminGate(verifyToken, findPersonIn(stores.users)),
    pageTokens: pageTokens(async () => 'key', 'pool'),
    audit: { trail, newId, clock },
    protection: adminProtectionIn(directory),
    log,
  };

  const methods: { readonly [Name in ServiceName]: AdminMethods<(typeof services)[Name]> } = {
    status: statusService({ ...shared, problems: problemsIn(directory), subscribers: problemSubscribersIn(directory), hasAlarmEmail: false }),
    users: usersService({
      ...shared,
      signIn: {
        mailDomain: 'example.test',
        mfa: 'required',
        mailFrom: 'no-reply@example.test',
        sessionUrl: 'https://jmap.example.test/.well-known/jmap',
        consoleUrl: 'https://console.example.test',
      },
    }),
    accounts: accountsService({
      ...shared,
      removals: accountRemovalsIn(directory),
      removalQueue: queues.removalQueue,
      restorations: accountRestorationsIn(directory, aliasIdentities),
      mailStore: store,
      destroyedMail: { table: mail, store, quotaDefaults, newId: () => newId('alias').slice(-16), removals: queues.mailCleanupQueue, clock },
      sendLimits: accountSendLimitsIn(mail, defaultSendLimits),
      findSimilar: findSimilarIn(directory),
      identities: emailIdentitiesIn(directory),
      rights: sendingRightsIn(directory),
    }),
    domains: domainsService({
      ...shared,
      testSending: { ...shared, submissions: submissionsIn(sending), objects, queue: queues.submitQueue },
      dnsTargets: { region: 'us-east-1', jmapServer: 'jmap.example.test:443' },
    }),
    aliases: aliasesService({
      ...shared,
      inboundQueue: queues.inboundQueue,
      mayForwardOutside,
      findForwardTargets: (accountId, emails) => findForwardTargets(directory, accountId, emails, { addresses: stores.addresses, mayForwardOutside }),
    }),
    'email-identities': emailIdentitiesService({ ...shared, identities: emailIdentitiesIn(directory), positions: providerPositionsIn(directory, clock) }),
    'change-requests': changeRequestsService({ ...shared, requests: changeRequestsIn(directory, { newId, clock }) }),
    support: supportService({
      ...shared,
      cases: supportCasesIn(directory),
      roles: providers.supportRoles,
      supporters: { principals: supportPrincipals, region: 'us-east-1' },
      archive: roleAssumptionsIn(directory),
      lookup: providers.assumptionLookup,
      roleArns: Object.values(supportRoleArns),
    }),
    monitoring: monitoringService({ ...shared, resources }),
    'mail-feedback': mailFeedbackService({
      admins: adminProtectionIn(directory),
      feedback: mailFeedbackIn(sending),
      sentMail: sentMailIndexIn(sending),
      submissions: submissionsIn(sending),
      recordsSubjects,
      received: sending,
      mail,
      clock,
    }),
    suppression: suppressionService(shared),
    audit: auditService({ entries: auditEntriesIn(directory, clock) }),
    setup: setupService({ ...shared, problems: problemsIn(directory), submissions: submissionsIn(sending), resources: monitoredResources, cognitoSendsBySes }),
  };
  const handlers = Object.fromEntries(
    Object.entries<Service>(services).map(([name, service]) => [name, serve(service, methods[name as ServiceName] as AdminMethods<Service>, dependencies)]),
  ) as Record<ServiceName, HttpHandler>;

  /** Sends a body unchanged. As in the deployment, the status service handles requests that match no route. */
  const send = async (path: string, body: string, options: RequestOptions = {}): Promise<AdminResponse> => {
    const { verb = 'POST' } = options;
    const name = path.split('/')[1] ?? '';
    const handler = handlers[(Object.hasOwn(handlers, name) && verb === 'POST' ? name : 'status') as ServiceName];
    const response = await handler(httpEvent(path, body, options));
    const adminResponse: AdminResponse = { status: response.statusCode ?? 0, body: JSON.parse(response.body ?? ''), headers: response.headers ?? {} };
    if (adminResponse.status !== 200) expectDeclaredError(path, verb, adminResponse);
    return adminResponse;
  };
  /** Calls a method, as an admin by default. */
  const call = (path: string, request: unknown = {}, token: string = 'admin') => send(path, JSON.stringify(request), { token });
  /** Calls a method as an admin. The call must succeed. */
  const ok = async (path: string, request: unknown = {}): Promise<AdminResponse['body']> => {
    const { status, body } = await call(path, request);
    if (status !== 200) throw new Error(`${path} responded with ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  /** The entries of the audit log about an operation, newest first. */
  const auditLogs = async (operation: string) => (await ok('/audit/ListAuditLogs', { operation }))['audit_logs'] as AuditLog[];
  return { dependencies, handlers, send, call, ok, auditLogs, directory, mail, sending, users: stores.users, trail, log, objects, ...providers, ...queues };
};

export type AdminApi = Awaited<ReturnType<typeof adminApi>>;

/** {@link adminApi}, created anew for each test. */
export const adminApiPerTest = (options?: AdminApiOptions): AdminApi => perTest(() => adminApi(options));

/** Every method of the contract: `/users/GetUser`, with its service and its contract. */
export const everyMethod = Object.values(services as { readonly [name: string]: Service }).flatMap((service) =>
  Object.entries(service.methods).map(([name, method]) => ({ path: `${service.path}/${name}`, name, service, method })),
);
