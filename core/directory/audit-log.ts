import type { Actor, ActorType, AuditLog } from '../../contract/admin/audit.ts';
import { auditMonthOf, directoryKeys, directoryPartitions } from '../../contract/deployment/keys.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Page } from '../storage/page.ts';
import { tryWrite } from '../storage/retry-on-conflict.ts';
import { contentOf, type Condition, type Table, type Write } from '../storage/table.ts';

type Stored = string | number | boolean | null | readonly Stored[] | { readonly [name: string]: Stored | undefined };

/** A write of an entry. It names its table, so that it can be part of a transaction on any table. */
export type AuditWrite = {
  readonly put: { readonly pk: string; readonly sk: string; readonly [attribute: string]: Stored | undefined };
  readonly if: readonly Condition[];
  readonly inTable: { readonly name: string };
};

/** Writes entries of the audit log. */
export type AuditTrail = {
  /** The writes that store an entry. They may replace what an earlier step of the call stored, but never a success. */
  entryWrites(entry: AuditLog): readonly AuditWrite[];
  /**
   * Stores an entry, unless the call's entry is already stored as a success, because then the change was made.
   * @param additionalWrites writes for the same transaction.
   */
  record(entry: AuditLog, additionalWrites?: readonly Write[]): Promise<void>;
  /**
   * Lists the actor and the month before the actor's first entry is stored, so that readers find the entry. Further
   * calls for the same actor and month write nothing.
   */
  registerActor(actor: Actor, timestamp: string): Promise<void>;
};

/** Selects entries by a prefix of their action, and by an actor or a type of actor. */
type AuditFilter = { readonly operation?: string; readonly actor?: { readonly actor_type: ActorType; readonly actor_id?: string } };

/**
 * The audit log. The item `audit#yyyy-mm`/timestamp#audit_id is an entry, `audit#months`/yyyy-mm is a month with
 * entries, and `audit#actors#type`/actor_id is an actor. No item is ever deleted.
 */
export type AuditEntries = {
  /** Lists entries, newest first. A page may have fewer than `size` entries although `next` is set. */
  list(filter: AuditFilter, after: string | undefined, size: number): Promise<Page<AuditLog>>;
  actors(type: ActorType): Promise<Actor[]>;
};

const monthsPartition = directoryKeys.auditMonth('').pk;

/** Maximum entries that are read for one page of a filtered list, because an actor may have few entries. */
const maxExamined = 2000;
/** Maximum entries of one query of a filtered list. */
const filteredBatch = 500;

/** IAM can't refuse a put that replaces an entry. This condition does, once the entry is a success. */
const putOf = (entry: AuditLog): Omit<AuditWrite, 'inTable'> => ({
  put: { ...directoryKeys.auditEntry(entry), ...entry },
  if: [{ absent: true }, { equals: { status: 'failure' } }],
});

const entryOf = contentOf<AuditLog>;

/** Makes the audit trail of a Lambda, once for each instance, because it remembers the registered actors. */
export const auditTrailIn = (table: Table): AuditTrail => {
  const registered = new Set<string>();
  return {
    entryWrites: (entry) => [{ ...putOf(entry), inTable: table.reference }],
    async record(entry, additionalWrites = []) {
      await tryWrite(table, [putOf(entry), ...additionalWrites]);
    },
    async registerActor({ ip_address: _ip, user_agent: _agent, ...actor }, timestamp) {
      const month = auditMonthOf(timestamp);
      const known = JSON.stringify([actor, month]);
      if (registered.has(known)) return;
      const writes: Write[] = [{ put: directoryKeys.auditMonth(month) }, { put: { ...directoryKeys.auditActor(actor.actor_type, actor.actor_id), ...actor } }];
      await Promise.all(writes.map((write) => table.write([write])));
      registered.add(known);
    },
  };
};

const matches =
  ({ operation, actor }: AuditFilter) =>
  (entry: AuditLog): boolean =>
    (operation === undefined || entry.action.startsWith(operation)) &&
    (actor === undefined || entry.actor.actor_type === actor.actor_type) &&
    (actor?.actor_id === undefined || entry.actor.actor_id === actor.actor_id);

export const auditEntriesIn = (table: Table, clock: Clock): AuditEntries => ({
  async list(filter, after, size) {
    const isFiltered = filter.operation !== undefined || filter.actor !== undefined;
    const batchSize = isFiltered ? filteredBatch : size + 1;
    const read = (month: string, before: string | undefined) =>
      table.query({ pk: directoryPartitions.audit(month), before, descending: true, limit: batchSize });
    const first = auditMonthOf(after ?? clock().toISOString());
    // The newest month that can have entries is read concurrently with the list of months.
    const [months, begun] = await Promise.all([table.query({ pk: monthsPartition, before: first, descending: true }), read(first, after)]);
    const found: AuditLog[] = [];
    let examined = 0;
    for (const month of [first, ...months.map(({ sk }) => sk)]) {
      for (let batch = month === first ? begun : await read(month, undefined); ; batch = await read(month, batch.at(-1)?.sk)) {
        found.push(...batch.map(entryOf).filter(matches(filter)));
        examined += batch.length;
        const last = found[size - 1];
        if (found.length > size && last) return { items: found.slice(0, size), next: directoryKeys.auditEntry(last).sk };
        if (batch.length < batchSize) break;
        if (isFiltered && examined >= maxExamined) return { items: found, next: batch.at(-1)?.sk };
      }
    }
    return { items: found, next: undefined };
  },
  actors: async (type) => (await table.query({ pk: directoryKeys.auditActor(type, '').pk })).map(contentOf<Actor>),
});
