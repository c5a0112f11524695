import { itemOf, type Item } from '../storage/table.ts';
import type { States } from './head.ts';
import { checkedRow, versionAttribute, type Attributes } from './item-version.ts';
import { logKey } from './keys.ts';
import { changesOf, isEmptyChange, noChanges, type LogEntry, type StoredRecord, type TypeChanges } from './log-entry.ts';
import type { StoredTypes } from './records/stored-type.ts';

/** Each type's state after the commit. */
export const statesAfter = (types: StoredTypes, before: States, entry: LogEntry): States => {
  const changed = [...types.values()].filter((type) => type.isChangedBy?.(entry) ?? !isEmptyChange(changesOf(entry, type)));
  return { ...before, ...Object.fromEntries(changed.map(({ name }) => [name, entry.sequence])) };
};

type RecordRow = Attributes & { readonly id: string };
/** The changes of one type in a log item. */
type ChangesRow = {
  readonly [versionAttribute]: number;
  readonly created?: readonly RecordRow[];
  readonly updated?: readonly { readonly record: RecordRow; readonly before?: object }[];
  readonly destroyed?: TypeChanges['destroyed'];
};
/** The attributes of a log item. */
type LogRow = Pick<LogEntry, 'at' | 'writerId'> & { readonly changes: { readonly [type: string]: ChangesRow } };

const encodeChanges = (types: StoredTypes, name: string, { created, updated, destroyed }: TypeChanges): ChangesRow => {
  const { codec } = types.get(name)!.records!;
  const encoded = (record: StoredRecord) => {
    const { [versionAttribute]: _version, ...attributes } = codec.encode(record);
    return { id: record.id, ...attributes };
  };
  return {
    [versionAttribute]: codec.version,
    ...(created.length > 0 && { created: created.map(encoded) }),
    ...(updated.length > 0 && { updated: updated.map(({ record, before }) => ({ record: encoded(record), before })) }),
    ...(destroyed.length > 0 && { destroyed: destroyed.map(({ id, before }) => ({ id, before })) }),
  };
};

const logVersion = 2;

/** The log item of a commit. It lists the changes by type, each with the version of the type's records. */
export const encodeLogEntry = (types: StoredTypes, accountId: string, { sequence, at, writerId, changes }: LogEntry): Item => {
  const encoded = Object.entries(changes).map(([name, each]) => [name, encodeChanges(types, name, each)] as const);
  return itemOf(logKey(accountId, sequence), { [versionAttribute]: logVersion, ...({ at, writerId, changes: Object.fromEntries(encoded) } satisfies LogRow) });
};

const decodeChanges = (types: StoredTypes, name: string, { created = [], updated = [], destroyed = [], ...version }: ChangesRow): TypeChanges => {
  const codec = types.get(name)?.records?.codec;
  if (!codec) return noChanges;
  const record = (each: RecordRow) => codec.decode(each.id, { ...each, ...version });
  return {
    created: created.map(record),
    updated: updated.map(({ record: encoded, before }) => ({ record: record(encoded), ...(before !== undefined && { before }) })),
    destroyed,
  };
};

/** @throws UnknownItemVersion when a newer release wrote the entry. */
export const decodeLogEntry = (types: StoredTypes, item: Item): LogEntry => {
  const { at, writerId, changes } = checkedRow<LogRow>('log entry', item, logVersion);
  return {
    sequence: Number(item.sk),
    at,
    writerId,
    changes: Object.fromEntries(Object.entries(changes).map(([name, each]) => [name, decodeChanges(types, name, each)])),
  };
};
