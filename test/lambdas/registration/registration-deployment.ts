import { setTimeout as pause } from 'node:timers/promises';
import type { RegistrationError, RegistrationResponse } from '../../../contract/oauth/registration.ts';
import { auditEntriesIn, auditTrailIn } from '../../../core/directory/audit-log.ts';
import { clientRegistrationsIn } from '../../../core/directory/clients/client-registrations.ts';
import { registeredClientsIn } from '../../../core/directory/clients/registered-clients.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { HttpRequest } from '../../../core/runtime/http/http.ts';
import type { Table } from '../../../core/storage/table.ts';
import { sweepClients, type SweepDependencies } from '../../../lambdas/registration-sweep/sweep-clients.ts';
import type { RegistrationDependencies } from '../../../lambdas/registration/register-client.ts';
import { registrationHandler } from '../../../lambdas/registration/registration-handler.ts';
import { memoryClientRegistrar, type MemoryClientRegistrar } from '../../fakes/memory-client-registrar.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { wrappedTable } from '../../support/wrapped-table.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Partial<RegistrationResponse & RegistrationError>;
};

let callers = 0;

/**
 * A request as API Gateway passes it on, from another address each. Without a content-type header when `contentType` is
 * empty.
 */
export const registrationHttpRequest = (
  body: string | undefined,
  { contentType = 'application/json', isBase64Encoded = false, sourceIp = `10.0.0.${++callers % 256}` } = {},
): HttpRequest =>
  ({
    version: '2.0',
    routeKey: 'POST /oauth/register',
    rawPath: '/oauth/register',
    rawQueryString: '',
    isBase64Encoded,
    body,
    headers: contentType === '' ? {} : { 'content-type': contentType },
    requestContext: {
      requestId: 'request_1',
      stage: '$default',
      accountId: '111122223333',
      http: { method: 'POST', path: '/oauth/register', sourceIp, protocol: 'HTTP/1.1', userAgent: 'test' },
    },
  }) as unknown as HttpRequest;

/** The metadata of a native client. */
export const client = (name: string, ...redirectUris: string[]) => ({
  client_name: name,
  redirect_uris: redirectUris.length > 0 ? redirectUris : ['http://127.0.0.1:51234/callback'],
});

/** A clock that the test sets. */
const manualClock = (start = Date.UTC(2026, 10, 21, 9, 0)) => {
  let at = start;
  const clock: Clock = () => new Date(at);
  return {
    clock,
    advance: (milliseconds: number) => {
      at += milliseconds;
    },
  };
};

export type Parts = {
  readonly table?: Table;
  readonly registrar?: MemoryClientRegistrar | RegistrationDependencies['registrar'];
  readonly clock?: Clock;
  readonly pause?: RegistrationDependencies['pause'];
};

let holders = 0;
let audits = 0;

/**
 * Registration with a table and an identity provider in memory. Each call of `lambda` starts another Lambda with the
 * same ports.
 */
export const registrationDeployment = () => {
  const table = memoryTable();
  const registrar = memoryClientRegistrar();
  const log = memoryLog();
  const time = manualClock();
  const registering = (parts: Parts = {}): RegistrationDependencies => {
    const clock = parts.clock ?? time.clock;
    return {
      registrations: clientRegistrationsIn(parts.table ?? table, clock),
      registrar: parts.registrar ?? registrar,
      clock,
      pause:
        parts.pause ??
        (async (milliseconds) => {
          time.advance(milliseconds);
          await pause(0);
        }),
      newHolderId: () => `holder_${++holders}`,
      log,
    };
  };
  const sweeping = (parts: Parts = {}): SweepDependencies => {
    const dependencies = registering(parts);
    const { clock } = dependencies;
    return {
      ...dependencies,
      clients: registeredClientsIn(parts.table ?? table, clock),
      audit: { trail: auditTrailIn(parts.table ?? table), newId: () => `audit_${++audits}`, clock },
    };
  };
  const lambda = (parts: Parts = {}) => {
    const answer = registrationHandler(registering(parts));
    const send = async (request: HttpRequest): Promise<Answer> => {
      const { statusCode = 0, headers = {}, body = '' } = await answer(request);
      return { status: statusCode, headers, body: JSON.parse(body) as Answer['body'] };
    };
    return { send, register: (asked: unknown, sourceIp?: string) => send(registrationHttpRequest(JSON.stringify(asked), { sourceIp })) };
  };
  return {
    table,
    registrar,
    log,
    time,
    registering,
    lambda,
    sweep: (parts: Parts = {}) => sweepClients(sweeping(parts)),
    /** The audit entries, oldest first. */
    audited: async () => (await auditEntriesIn(table, time.clock).list({}, undefined, 100)).items.toReversed(),
    /** The client ids of the recorded registrations. */
    recorded: async () =>
      (await table.query({ pk: 'client-registration' })).filter((item) => item['state'] === 'registered').map((item) => item['client_id'] as string),
    ...lambda(),
  };
};

/** A process that can crash during a call. After the crash, its calls have no effect. */
export const mortalProcess = () => {
  let isDead = false;
  const died = () => new Error('this Lambda has died');
  const alive = async <T>(call: () => Promise<T>): Promise<T> => {
    if (isDead) throw died();
    const result = await call();
    if (isDead) throw died();
    return result;
  };
  return {
    die() {
      isDead = true;
    },
    table: (table: Table): Table => wrappedTable(table, alive),
    registrar: (registrar: RegistrationDependencies['registrar']): RegistrationDependencies['registrar'] => ({
      create: (...given) => alive(() => registrar.create(...given)),
      settingsVersion: registrar.settingsVersion,
      update: (...given) => alive(() => registrar.update(...given)),
      list: () => alive(() => registrar.list()),
      count: () => alive(() => registrar.count()),
      remove: (clientId) => alive(() => registrar.remove(clientId)),
    }),
  };
};
