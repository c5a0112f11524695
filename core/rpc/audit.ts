import type { Actor, AuditChange as StatedChange, AuditLog } from '../../contract/admin/audit.ts';
import type * as z from 'zod';
import type { Caller } from './admin-gate.ts';
import type { Clock } from '../runtime/clock.ts';
import type { NewId } from '../runtime/ids.ts';
import type { RpcError } from './rpc-error.ts';
import type { AuditTrail, AuditWrite } from '../directory/audit-log.ts';

/**
 * The record of what was changed, and of what somebody failed to change (docs/specification.md#audit-trail). The pipe opens an entry for every call of a method
 * that the contract says `changes`; the method's behaviour says what it is about and lets it be stored in the transaction that makes the change.
 */

export type AuditChange = z.input<typeof StatedChange>;

/** What an entry says besides who, when and which method. Never a secret, never the content of a message. */
export type AuditSubject = {
  readonly entity_id: string;
  readonly entity_name: string;
  readonly changes?: readonly AuditChange[];
  readonly metadata?: { readonly [name: string]: string };
};

/** What a behaviour does with the entry of its call. */
export type Audit = {
  /** What the entry will say. May be called again; what is given then takes the place of what was there. */
  describe(subject: Partial<AuditSubject>): void;
  /**
   * The entry as a success, for the transaction that concludes the change: then it and the change are stored together or not at all.
   * Whoever calls it must write it, also where there turns out to be nothing to change.
   */
  successWrites(): readonly AuditWrite[];
  /**
   * The entry as one whose outcome is not known, for a transaction after which the call has more to do; the pipe stores the outcome. Whoever calls it must
   * write it.
   */
  pendingWrites(): readonly AuditWrite[];
  /** For a change that happens at a provider: stores the entry before it, as one whose outcome is not known; the pipe stores the outcome. */
  recordPending(): Promise<void>;
};

/** A change by somebody, not concluded yet. */
export type OpenAudit = Audit & {
  /** After the behaviour: stores the entry unless that was done with the change. */
  recordSuccess(): Promise<void>;
  recordFailure(error: RpcError): Promise<void>;
};

/** What the entry of an interrupted change says. */
export const interrupted = 'interrupted: its outcome is not known';

/** Characters of a value that an entry keeps. */
const longestValue = 1000;

const shortened = (value: string): string => (value.length > longestValue ? `${value.slice(0, longestValue - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : value);

const shortenedChange = ({ field, old_value: before, new_value: after }: AuditChange): AuditChange => ({
  field, ...(before !== undefined && { old_value: shortened(before) }), ...(after !== undefined && { new_value: shortened(after) }),
});

const inWords = (value: unknown): string | undefined =>
  (value === undefined || value === null ? undefined : typeof value === 'string' ? value : JSON.stringify(value));

/** Which of the fields differ between two states of a thing; undefined stands for a thing that is not there. */
export const changesBetween = <T extends object>(before: Partial<T> | undefined, after: Partial<T> | undefined, fields: readonly (keyof T & string)[]): AuditChange[] =>
  fields.flatMap((field) => {
    const [old, now] = [inWords(before?.[field]), inWords(after?.[field])];
    return old === now ? [] : [shortenedChange({ field, ...(old !== undefined && { old_value: old }), ...(now !== undefined && { new_value: now }) })];
  });

/** What a call is about as far as its request says: its first id, else its first address or domain. */
export const entityOfRequest = (request: { readonly [name: string]: unknown }): string => {
  const text = Object.entries(request).filter((field): field is [string, string] => typeof field[1] === 'string');
  const [, found] = text.find(([name]) => name === 'id' || (name.endsWith('_id') && name !== 'user_id')) ?? text.find(([name]) => name === 'user_id')
    ?? text.find(([name]) => ['email', 'domain', 'recipient'].includes(name)) ?? [];
  return found ?? '';
};

/** Who an admin's call is by. */
export const actorOf = ({ principalId, isMachine, email }: Caller, { ipAddress, userAgent }: { readonly ipAddress: string; readonly userAgent: string | undefined }): Actor => ({
  actor_type: isMachine ? 'SERVICE' : 'USER',
  actor_id: principalId,
  ...(isMachine ? { service_name: principalId } : { user_id: principalId, ...(email !== undefined && { username: email, email }) }),
  ip_address: ipAddress,
  ...(userAgent !== undefined && { user_agent: shortened(userAgent).slice(0, 256) }),
});

/** The deployment itself, in the person of one of its Lambdas. */
export const systemActor = (serviceName: string): Actor => ({ actor_type: 'SYSTEM', actor_id: serviceName, service_name: serviceName });

export type AuditConnections = { readonly trail: AuditTrail; readonly newId: NewId; readonly clock: Clock };

/** Opens the entry of a change. @param action `domains/AddDomain`. @param entityId what is known before the behaviour says better. */
export const openAudit = async ({ trail, newId, clock }: AuditConnections, action: string, actor: Actor, entityId: string): Promise<OpenAudit> => {
  const opened = { audit_id: newId('audit'), timestamp: clock().toISOString(), action, actor };
  let subject: AuditSubject = { entity_id: entityId, entity_name: '' };
  let stored: 'no' | 'begun' | 'concluded' = 'no';
  const entry = (outcome: Pick<AuditLog, 'status' | 'error_msg'>): AuditLog => ({
    ...opened, ...subject, entity_name: shortened(subject.entity_name), changes: (subject.changes ?? []).map(shortenedChange), metadata: { ...subject.metadata }, ...outcome,
  });
  await trail.registerActor(actor, opened.timestamp);
  return {
    describe(more) {
      subject = { ...subject, ...more };
    },
    successWrites() {
      stored = 'concluded';
      return trail.entryWrites(entry({ status: 'success' }));
    },
    pendingWrites() {
      stored = 'begun';
      return trail.entryWrites(entry({ status: 'failure', error_msg: interrupted }));
    },
    async recordPending() {
      await trail.record(entry({ status: 'failure', error_msg: interrupted }));
      stored = 'begun';
    },
    async recordSuccess() {
      if (stored !== 'concluded') await trail.record(entry({ status: 'success' }));
    },
    recordFailure: ({ message }) => trail.record(entry({ status: 'failure', error_msg: shortened(message) })),
  };
};

const notChanging = (): never => {
  throw new Error('a method that the contract does not mark with `changes` has nothing to audit');
};

/** Stands where a method changes nothing. */
export const noAudit: Audit = { describe: notChanging, successWrites: notChanging, pendingWrites: notChanging, recordPending: notChanging };
