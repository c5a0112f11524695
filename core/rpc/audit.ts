import type * as z from 'zod';
import type { Actor, AuditChange as AuditChangeSchema, AuditLog } from '../../contract/admin/audit.ts';
import type { AuditTrail } from '../directory/audit-log.ts';
import type { Clock } from '../runtime/clock.ts';
import type { NewId } from '../runtime/ids.ts';
import type { Write } from '../storage/table.ts';
import type { Caller } from './admin-gate.ts';
import type { RpcError } from './rpc-error.ts';

export type AuditChange = z.input<typeof AuditChangeSchema>;

/** The fields of an entry that the method describes. They contain no secrets and no content of messages. */
export type AuditSubject = {
  readonly entity_id: string;
  readonly entity_name: string;
  readonly changes?: readonly AuditChange[];
  readonly metadata?: { readonly [name: string]: string };
};

/**
 * The audit entry of a call, for its method (docs/specification.md#audit-trail). The pipe opens an entry for every call
 * of a method that the contract marks with `changes`, also for calls that fail. The method describes the change and
 * stores the entry in the transaction of the change.
 */
export type Audit = {
  /** Sets fields of the entry. A later call replaces fields of an earlier one. */
  describe(subject: Partial<AuditSubject>): void;
  /**
   * The writes of the entry as a success, for the transaction that completes the change. The caller must make these
   * writes.
   */
  successWrites(): readonly Write[];
  /**
   * The writes of the entry with an unknown outcome, for a transaction that is not the last step of the change. The
   * pipe records the outcome. The caller must make these writes.
   */
  pendingWrites(): readonly Write[];
  /** Stores the entry with an unknown outcome before a change at a provider; the pipe records the outcome. */
  recordPending(): Promise<void>;
};

/** The entry of a change in progress, for the pipe. */
export type OpenAudit = Audit & {
  /** Adds writes, such as checks, to each transaction in which the method stores the entry. */
  addWrites(writes: readonly Write[]): void;
  /** Stores the entry, unless the method stored it with the change. */
  recordSuccess(): Promise<void>;
  recordFailure(error: RpcError): Promise<void>;
};

/** The error message of an entry whose outcome was never recorded. */
export const interrupted = 'interrupted: its outcome is not known';

/** Maximum characters of a value in an entry; longer values are truncated. */
const maxValueLength = 1000;

const truncate = (value: string): string => (value.length > maxValueLength ? `${value.slice(0, maxValueLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : value);

const truncateChange = ({ field, old_value: before, new_value: after }: AuditChange): AuditChange => ({
  field,
  ...(before !== undefined && { old_value: truncate(before) }),
  ...(after !== undefined && { new_value: truncate(after) }),
});

const toText = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === 'string' ? value : JSON.stringify(value);

/** The fields that differ between two states of an entity. Undefined is the state of an entity that does not exist. */
export const changesBetween = <T extends object>(
  before: Partial<T> | undefined,
  after: Partial<T> | undefined,
  fields: readonly (keyof T & string)[],
): AuditChange[] =>
  fields.flatMap((field) => {
    const [oldValue, newValue] = [toText(before?.[field]), toText(after?.[field])];
    if (oldValue === newValue) return [];
    return [truncateChange({ field, ...(oldValue !== undefined && { old_value: oldValue }), ...(newValue !== undefined && { new_value: newValue }) })];
  });

/** The entity of a request: its first id field, else its first address or domain. */
export const entityOfRequest = (request: { readonly [name: string]: unknown }): string => {
  const texts = Object.entries(request).filter((field): field is [string, string] => typeof field[1] === 'string');
  const [, entity] =
    texts.find(([name]) => name === 'id' || (name.endsWith('_id') && name !== 'user_id')) ??
    texts.find(([name]) => name === 'user_id') ??
    texts.find(([name]) => ['email', 'domain', 'recipient'].includes(name)) ??
    [];
  return entity ?? '';
};

/** The actor of an admin call. */
export const actorOf = (
  { principalId, isMachine, email }: Caller,
  { ipAddress, userAgent }: { readonly ipAddress: string; readonly userAgent: string | undefined },
): Actor => ({
  actor_type: isMachine ? 'SERVICE' : 'USER',
  actor_id: principalId,
  ...(isMachine ? { service_name: principalId } : { user_id: principalId, ...(email !== undefined && { username: email, email }) }),
  ip_address: ipAddress,
  ...(userAgent !== undefined && { user_agent: truncate(userAgent).slice(0, 256) }),
});

/** The actor of a change that a Lambda makes on its own. */
export const systemActor = (serviceName: string): Actor => ({ actor_type: 'SYSTEM', actor_id: serviceName, service_name: serviceName });

export type AuditDependencies = { readonly trail: AuditTrail; readonly newId: NewId; readonly clock: Clock };

/**
 * Opens the entry of a change.
 * @param action such as `domains/AddDomain`.
 * @param entityId the entity, until the method describes it.
 */
export const openAudit = async ({ trail, newId, clock }: AuditDependencies, action: string, actor: Actor, entityId: string): Promise<OpenAudit> => {
  const opened = { audit_id: newId('audit'), timestamp: clock().toISOString(), action, actor };
  let subject: AuditSubject = { entity_id: entityId, entity_name: '' };
  /** Whether the method itself stores the entry as a success. */
  let isStored = false;
  let added: readonly Write[] = [];
  const entry = (outcome: Pick<AuditLog, 'status' | 'error_msg'>): AuditLog => ({
    ...opened,
    ...subject,
    entity_name: truncate(subject.entity_name),
    changes: (subject.changes ?? []).map(truncateChange),
    metadata: { ...subject.metadata },
    ...outcome,
  });
  await trail.registerActor(actor, opened.timestamp);
  return {
    describe(fields) {
      subject = { ...subject, ...fields };
    },
    addWrites(writes) {
      added = [...added, ...writes];
    },
    successWrites() {
      isStored = true;
      return [...trail.entryWrites(entry({ status: 'success' })), ...added];
    },
    pendingWrites() {
      return [...trail.entryWrites(entry({ status: 'failure', error_msg: interrupted })), ...added];
    },
    recordPending: () => trail.record(entry({ status: 'failure', error_msg: interrupted }), added),
    async recordSuccess() {
      if (!isStored) await trail.record(entry({ status: 'success' }));
    },
    recordFailure: ({ message }) => trail.record(entry({ status: 'failure', error_msg: truncate(message) })),
  };
};

const noEntry = (): never => {
  throw new Error('the contract of this method does not say `changes`: it has no audit entry');
};

/** The {@link Audit} of a method that changes nothing. */
export const noAudit: Audit = { describe: noEntry, successWrites: noEntry, pendingWrites: noEntry, recordPending: noEntry };
