import type { Item, Value } from '../storage/table.ts';
import type { States } from './head.ts';
import { checkedAttributes, versionAttribute, type Attributes } from './item-version.ts';
import { logKey } from './keys.ts';
import { changesOf, isEmptyChange, noChanges, type LogEntry, type StoredRecord, type TypeChanges } from './log-entry.ts';
import type { StoredTypes } from './records/stored-type.ts';

/** Each type's state after the commit. */
export const statesAfter = (types: StoredTypes, before: States, entry: LogEntry): States => {
  const changed = [...types.values()].filter((type) => type.isChangedBy?.(entry) ?? !isEmptyChange(changesOf(entry, type)));
  return { ...before, ...Object.fromEntries(changed.map(({ name }) => [name, entry.sequence])) };
};

const optionalList = (name: string, list: readonly Value[]) => (list.length > 0 ? { [name]: list } : {});

const encodeChanges = (types: StoredTypes, name: string, { created, updated, destroyed }: TypeChanges): Attributes => {
  const { codec } = types.get(name)!.records!;
  const encoded = (record: StoredRecord) => {
    const { [versionAttribute]: _version, ...attributes } = codec.encode(record);
    return { id: record.id, ...attributes };
  };
  return {
    [versionAttribute]: codec.version,
    ...optionalList('created', created.map(encoded)),
    ...optionalList(
      'updated',
      updated.map(({ record, before }) => ({ record: encoded(record), before: before as Value | undefined })),
    ),
    ...optionalList(
      'destroyed',
      destroyed.map(({ id, before }) => ({ id, before: before as Value | undefined })),
    ),
  };
};

const logVersion = 2;

/** The log item of a commit. It lists the changes by type, each with the version of the type's records. */
export const encodeLogEntry = (types: StoredTypes, accountId: string, { sequence, at, writerId, changes }: LogEntry): Item => ({
  ...logKey(accountId, sequence),
  [versionAttribute]: logVersion,
  at,
  writerId,
  changes: Object.fromEntries(Object.entries(changes).map(([name, each]) => [name, encodeChanges(types, name, each)])),
});

const decodeChanges = (types: StoredTypes, name: string, attributes: Attributes): TypeChanges => {
  const codec = types.get(name)?.records?.codec;
  if (!codec) return noChanges;
  const version = { [versionAttribute]: attributes[versionAttribute] };
  const record = (each: Attributes) => codec.decode(each['id'] as string, { ...each, ...version });
  const list = (key: string) => (attributes[key] ?? []) as readonly Attributes[];
  return {
    created: list('created').map(record),
    updated: list('updated').map(({ record: encoded, before }) => ({
      record: record(encoded as Attributes),
      ...(before !== undefined && { before: before as object }),
    })),
    destroyed: list('destroyed') as unknown as TypeChanges['destroyed'],
  };
};

/** @throws UnknownItemVersion when a newer release wrote the entry. */
export const decodeLogEntry = (types: StoredTypes, item: Item): LogEntry => {
  const attributes = checkedAttributes('log entry', item, logVersion);
  const changes = attributes['changes'] as { readonly [type: string]: Attributes };
  return {
    sequence: Number(item.sk),
    at: attributes['at'] as number,
    writerId: attributes['writerId'] as string,
    changes: Object.fromEntries(Object.entries(changes).map(([name, each]) => [name, decodeChanges(types, name, each)])),
  };
};
