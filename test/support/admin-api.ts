import { services, type ServiceName } from '../../contract/admin/index.ts';
import type { User } from '../../contract/admin/users.ts';
import type { MonitoredResources } from '../../contract/monitored-resources.ts';
import { scopes } from '../../contract/oauth.ts';
import { errorsOfEveryMethod, type Service } from '../../contract/rpc.ts';
import { accountsService } from '../../lambdas/admin/accounts/accounts-service.ts';
import { aliasesService } from '../../lambdas/admin/aliases/aliases-service.ts';
import { auditService } from '../../lambdas/admin/audit/audit-service.ts';
import { changeRequestsService } from '../../lambdas/admin/change-requests/change-requests-service.ts';
import { domainsService } from '../../lambdas/admin/domains/domains-service.ts';
import { emailIdentitiesService } from '../../lambdas/admin/email-identities/email-identities-service.ts';
import { mailFeedbackService } from '../../lambdas/admin/mail-feedback/mail-feedback-service.ts';
import { monitoringService } from '../../lambdas/admin/monitoring/monitoring-service.ts';
import type { AccessToken, VerifyAccessToken } from '../../core/runtime/access-token.ts';
import { adminGate } from '../../core/rpc/admin-gate.ts';
import { serve, type HttpHandler, type PipeConnections } from '../../core/rpc/admin-pipe.ts';
import type { HttpRequest } from '../../core/runtime/http.ts';
import { actorOf } from '../../core/rpc/audit.ts';
import { newId } from '../../core/runtime/ids.ts';
import { pageTokens } from '../../core/rpc/page-token.ts';
import { setupService } from '../../lambdas/admin/setup/setup-service.ts';
import { statusService } from '../../lambdas/admin/status/status-service.ts';
import { accountRemovalsIn } from '../../core/directory/account-removals.ts';
import { accountsIn } from '../../core/directory/accounts.ts';
import { aliasesIn } from '../../core/directory/aliases.ts';
import { auditEntriesIn, auditTrailIn } from '../../core/directory/audit-log.ts';
import { changeRequestsIn } from '../../core/directory/change-requests.ts';
import { domainsIn } from '../../core/directory/domains.ts';
import { emailIdentitiesIn } from '../../core/directory/email-identities.ts';
import { membersIn } from '../../core/directory/members.ts';
import { providerPositionsIn } from '../../core/directory/provider-positions.ts';
import { roleAssumptionsIn } from '../../core/directory/role-assumptions.ts';
import { supportCasesIn } from '../../core/directory/support-cases.ts';
import { setupIn } from '../../core/directory/setup.ts';
import { usersIn } from '../../core/directory/users.ts';
import { mailStore } from '../../core/mail/table-mail-store.ts';
import { mailFeedbackIn } from '../../core/sending/mail-feedback.ts';
import { submissionsIn } from '../../core/sending/submissions.ts';
import { suppressionsIn } from '../../core/sending/suppressions.ts';
import type { Table } from '../../core/storage/table.ts';
import { supportService } from '../../lambdas/admin/support/support-service.ts';
import { suppressionService } from '../../lambdas/admin/suppression/suppression-service.ts';
import { usersService } from '../../lambdas/admin/users/users-service.ts';
import { memoryDnsProvider } from '../fakes/memory-dns-provider.ts';
import { memoryEmailProvider } from '../fakes/memory-email-provider.ts';
import { memoryIdentityProvider } from '../fakes/memory-identity-provider.ts';
import { memoryPublicDns } from '../fakes/memory-public-dns.ts';
import { memoryLogs } from '../fakes/memory-logs.ts';
import { memoryMetrics } from '../fakes/memory-metrics.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import { memorySubmitQueue } from '../fakes/memory-submit-queue.ts';
import { memorySenderAddresses } from '../fakes/memory-sender-addresses.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryAssumptionLookup } from '../fakes/memory-assumption-lookup.ts';
import { memorySupportRoles } from '../fakes/memory-support-roles.ts';

/** Client id of a machine with the scope adminApi/ADMIN, and of one that only reads mail. */
export const headlessClientIds = ['adminheadless', 'jmapheadless'] as const;

const person = (principalId: string, ...granted: string[]): AccessToken =>
  ({ principalId, isMachine: false, clientId: 'console', scopes: new Set(granted), expiresAt: 4_000_000_000 });
const machine = (principalId: string, ...granted: string[]): AccessToken => ({ ...person(principalId, ...granted), isMachine: true, clientId: principalId });

/** Tokens by what the Authorization header says. Everything else is garbage. */
export const knownTokens = {
  admin: person('user_admin', scopes.ADMIN, scopes.MAIL_READ),
  'admin-for-mail-only': person('user_admin', scopes.MAIL_READ),
  person: person('user_person', scopes.MAIL_READ),
  // The directory decides, not the scopes of the token.
  'former-admin': person('user_person', scopes.ADMIN),
  'inactive-admin': person('user_inactive', scopes.ADMIN),
  'deleted-admin': person('user_deleted', scopes.ADMIN),
  'unknown-user': person('user_unknown', scopes.ADMIN),
  'no-subject': person('', scopes.ADMIN),
  machine: machine('adminheadless', scopes.ADMIN),
  'mail-machine': machine('jmapheadless', scopes.MAIL_READ),
} as const;
export type TokenName = keyof typeof knownTokens;

/** Who may assume the support roles, and the roles. */
export const supportPrincipals = ['arn:aws:iam::111122223333:role/supporters'] as const;
export const supportRoleArns = { DIAG: 'arn:aws:iam::000000000000:role/diag', CONFIG_READ: 'arn:aws:iam::000000000000:role/config-read' } as const;

/** The deployment that /monitoring looks at. */
export const monitoredResources: MonitoredResources = {
  stack: 'Postrider',
  apis: [{ name: 'admin', id: 'a1', stage: '$default', kind: 'http' }, { name: 'web-socket', id: 'w1', stage: 'jmap', kind: 'web-socket' }],
  functions: ['deliver', 'jmap'],
  queues: { 'InboundMail/Waiting': 'waiting-1', 'InboundMail/Waiting/DeadLetters': 'dead-1' },
};

const verify: VerifyAccessToken = async (token) => (Object.hasOwn(knownTokens, token) ? knownTokens[token as TokenName] : undefined);

const seeded = async (directory: Table) => {
  const at = '2026-01-01T00:00:00.000Z';
  const user = (name: string, more: Partial<User>): User => ({
    user_id: `user_${name}`, name, primary_email: `${name}@example.test`, is_active: true, is_admin: true, is_deleted: false, idp_identities: [], created_at: at, updated_at: at, ...more,
  });
  const users = [user('admin', {}), user('person', { is_admin: false }), user('inactive', { is_active: false }), user('deleted', { is_active: false, is_deleted: true })];
  for (const one of users) {
    await usersIn(directory).reserve(one.primary_email!, one.user_id);
    await usersIn(directory).complete(one, []);
  }
};

export type AdminResponse = { readonly status: number; readonly body: Record<string, unknown> & { code?: string; message?: string }; readonly headers: Record<string, unknown> };

/** A request as API Gateway hands it over. */
export const httpEvent = (path: string, body: string, { token, verb = 'POST', base64 = false }: { token?: string; verb?: string; base64?: boolean } = {}): HttpRequest => ({
  version: '2.0', routeKey: 'ANY /x/{proxy+}', rawPath: path, rawQueryString: '',
  headers: { 'content-type': 'application/json', 'user-agent': 'test', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  requestContext: {
    accountId: '000000000000', apiId: 'api', domainName: 'api.example.test', domainPrefix: 'api', requestId: 'request-1', routeKey: '', stage: '$default', time: '', timeEpoch: 0,
    http: { method: verb, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
  },
  body, isBase64Encoded: base64,
});

/** A clock that never says the same moment twice: what happens later is later, however fast a test is. */
const tickingClock = () => {
  let last = 0;
  return () => {
    last = Math.max(Date.now(), last + 1);
    return new Date(last);
  };
};

/** Whatever a test is about: no method ends in an error that its contract, and so the OpenAPI document, does not name. */
const declared = (path: string, verb: string, { body }: AdminResponse): void => {
  const method = everyMethod.find((one) => one.path === path && verb === 'POST')?.method;
  const named: readonly string[] = method ? [...errorsOfEveryMethod, ...method.errors] : [String(body.code)];
  if (!named.includes(String(body.code))) throw new Error(`${path} ends in ${body.code}, which its contract does not name: ${body.message}`);
};

/** The admin API over memory: an HTTP event in, a response out. */
export const adminApi = async ({ directory = memoryTable(), mail = memoryTable(), sending = memoryTable(), verifyToken = verify, now = tickingClock() }: {
  directory?: Table; mail?: Table; sending?: Table; verifyToken?: VerifyAccessToken; now?: () => Date;
} = {}) => {
  await seeded(directory);
  const [users, domains, accounts, aliases, members] = [usersIn(directory), domainsIn(directory), accountsIn(directory), aliasesIn(directory), membersIn(directory)];
  const removalQueue = memoryQueue();
  const [identityProvider, emailProvider, dns, dnsProvider, senderAddresses, log] = [memoryIdentityProvider(), memoryEmailProvider(), memoryPublicDns(), memoryDnsProvider(), memorySenderAddresses(), memoryLog()];
  const [metrics, logs] = [memoryMetrics(), memoryLogs()];
  const [supportRoles, assumptionLookup] = [memorySupportRoles(), memoryAssumptionLookup()];
  const concurrency = { limits: async () => ({ account_limit: 10, unreserved_concurrency: 10 }) };
  const findPerson = async (id: string) => {
    const user = await users.find(id);
    return user && { isActive: user.is_active && !user.is_deleted, isAdmin: user.is_admin, email: user.primary_email };
  };
  const trail = auditTrailIn(directory);
  // Admins who were here before: what a test counts or lets crash is what their call does, not that they are introduced.
  for (const actorId of ['user_admin', 'adminheadless']) await trail.registerActor(actorOf({ principalId: actorId, isMachine: actorId !== 'user_admin', ...(actorId === 'user_admin' && { email: 'admin@example.test' }) }, { ipAddress: '', userAgent: undefined }), now().toISOString());
  const connections: PipeConnections = { gate: adminGate(verifyToken, findPerson), pageTokens: pageTokens(async () => 'key', 'pool'), audit: { trail, newId, clock: now }, log };
  const submitQueue = memorySubmitQueue();
  const testSending = { submissions: submissionsIn(sending), suppressions: suppressionsIn(sending), senderAddresses, setup: setupIn(directory), queue: submitQueue, clock: now, log };
  const stores = { users, domains, newId, clock: now };
  const handlers: { readonly [Name in ServiceName]: HttpHandler } = {
    status: serve(services.status, statusService({ emailProvider, concurrency, metrics, clock: now, region: 'us-east-1', log }), connections),
    users: serve(services.users, usersService({ ...stores, accounts, aliases, members, identityProvider }), connections),
    accounts: serve(services.accounts, accountsService({
      ...stores, accounts, members, removals: accountRemovalsIn(directory), removalQueue, mailStore: mailStore({ table: mail }), headlessClientIds,
    }), connections),
    domains: serve(services.domains, domainsService({ ...stores, emailProvider, dns, dnsProvider, testSending, mailDomain: 'example.test', dnsTargets: { region: 'us-east-1', jmapServer: 'jmap.example.test:443' }, log }), connections),
    aliases: serve(services.aliases, aliasesService({ ...stores, aliases }), connections),
    'email-identities': serve(services['email-identities'], emailIdentitiesService({ identities: emailIdentitiesIn(directory), positions: providerPositionsIn(directory, now), senderAddresses, clock: now }), connections),
    'change-requests': serve(services['change-requests'], changeRequestsService({ requests: changeRequestsIn(directory, { newId, clock: now }), region: 'us-east-1', clock: now }), connections),
    support: serve(services.support, supportService({
      cases: supportCasesIn(directory), roles: supportRoles, supporters: { principals: supportPrincipals, region: 'us-east-1' },
      archive: roleAssumptionsIn(directory), lookup: assumptionLookup, roleArns: Object.values(supportRoleArns), newId, clock: now, log,
    }), connections),
    monitoring: serve(services.monitoring, monitoringService({ resources: monitoredResources, metrics, logs, clock: now }), connections),
    'mail-feedback': serve(services['mail-feedback'], mailFeedbackService({ feedback: mailFeedbackIn(sending) }), connections),
    suppression: serve(services.suppression, suppressionService({ suppressions: suppressionsIn(sending), clock: now }), connections),
    audit: serve(services.audit, auditService({ entries: auditEntriesIn(directory, now) }), connections),
    setup: serve(services.setup, setupService({
      setup: setupIn(directory), domains, users, accounts, emailProvider, senderAddresses, dns, mailDomain: 'example.test', region: 'us-east-1', log,
    }), connections),
  };

  /** Sends bytes as they are. What no route matches goes to the status service, as in the deployment. */
  const send = async (path: string, body: string, options: { token?: string; verb?: string; base64?: boolean } = {}): Promise<AdminResponse> => {
    const name = path.split('/')[1] ?? '';
    const handler = handlers[(Object.hasOwn(handlers, name) && (options.verb ?? 'POST') === 'POST' ? name : 'status') as ServiceName];
    const answer = await handler(httpEvent(path, body, options));
    const answered: AdminResponse = { status: answer.statusCode ?? 0, body: JSON.parse(answer.body ?? ''), headers: answer.headers ?? {} };
    if (answered.status !== 200) declared(path, options.verb ?? 'POST', answered);
    return answered;
  };
  /** Calls a method as an admin. */
  const call = (path: string, request: unknown = {}, token: string = 'admin') => send(path, JSON.stringify(request), { token });
  /** Calls a method that must succeed. */
  const ok = async (path: string, request: unknown = {}): Promise<AdminResponse['body']> => {
    const { status, body } = await call(path, request);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  return { connections, handlers, send, call, ok, directory, mail, sending, submitQueue, users, removalQueue, trail, identityProvider, emailProvider, dns, dnsProvider, senderAddresses, log, concurrency, metrics, logs, supportRoles, assumptionLookup };
};

export type AdminApi = Awaited<ReturnType<typeof adminApi>>;

/** Every method of every service: `/users/GetUser` with what the contract says. */
export const everyMethod = Object.values(services as { readonly [name: string]: Service }).flatMap((service) =>
  Object.entries(service.methods).map(([name, method]) => ({ path: `${service.path}/${name}`, name, service, method })));
