import type { RecordType } from '../../../contract/jmap/record.ts';
import { checkedAttributes, firstVersion, versionAttribute, type Attributes } from '../item-version.ts';
import type { StoredRecord } from '../log-entry.ts';

/** Encodes the records of one type as attributes of items and log entries. The id is the item's sort key. */
export type RecordCodec<R extends StoredRecord> = {
  /** The version that `encode` writes. */
  readonly version: number;
  encode(record: R): Attributes;
  /** @throws UnknownItemVersion when a newer release wrote the record. */
  decode(id: string, attributes: Attributes): R;
};

type CodecParts<R extends StoredRecord> = {
  /** The type's name, for error messages. */
  readonly name: string;
  readonly version?: number | undefined;
  readonly encode: (record: R) => Attributes;
  readonly decode: (id: string, attributes: Attributes) => R;
};

/** A codec that writes the version and checks it. */
export const recordCodec = <R extends StoredRecord>({ name, version = firstVersion, encode, decode }: CodecParts<R>): RecordCodec<R> => ({
  version,
  encode: (record) => ({ ...encode(record), [versionAttribute]: version }),
  decode: (id, attributes) => decode(id, checkedAttributes(name, attributes, version)),
});

/** The codec for all stored properties of a contract. */
export const propertiesCodec = <R extends StoredRecord>(type: RecordType, version?: number): RecordCodec<R> => {
  const stored = Object.entries(type.properties).filter(([name, property]) => name !== 'id' && !property.computed);
  return recordCodec<R>({
    name: type.name,
    version,
    encode: (record) => Object.fromEntries(stored.map(([name]) => [name, (record as unknown as Attributes)[name]])),
    decode: (id, attributes) => ({ id, ...Object.fromEntries(stored.map(([name]) => [name, attributes[name]])) }) as unknown as R,
  });
};
