import type { RecordType } from '../../../contract/jmap/record.ts';
import { rowOf } from '../../storage/table.ts';
import { checkedRow, firstVersion, versionAttribute, type Attributes } from '../item-version.ts';
import type { StoredRecord } from '../log-entry.ts';

/** Encodes the records of one type as attributes of items and log entries. The id is the item's sort key. */
export type RecordCodec<R extends StoredRecord> = {
  /** The version that `encode` writes. */
  readonly version: number;
  encode(record: R): Attributes;
  /** @throws UnknownItemVersion when a newer release wrote the record. */
  decode(id: string, attributes: Attributes): R;
};

type CodecParts<R extends StoredRecord, Row> = {
  /** The type's name, for error messages. */
  readonly name: string;
  readonly version?: number | undefined;
  readonly encode: (record: R) => Attributes;
  /** @param row the attributes that `encode` returned. */
  readonly decode: (id: string, row: Row) => R;
};

/** A codec that writes the version and checks it. */
export const recordCodec = <R extends StoredRecord, Row = Omit<R, 'id'>>({
  name,
  version = firstVersion,
  encode,
  decode,
}: CodecParts<R, Row>): RecordCodec<R> => ({
  version,
  encode: (record) => ({ ...encode(record), [versionAttribute]: version }),
  decode: (id, attributes) => decode(id, checkedRow<Row>(name, attributes, version)),
});

/** The codec for all stored properties of a contract. */
export const propertiesCodec = <R extends StoredRecord>(type: RecordType, version?: number): RecordCodec<R> => {
  const stored = Object.entries(type.properties).filter(([name, property]) => name !== 'id' && !property.computed);
  return recordCodec<R, Attributes>({
    name: type.name,
    version,
    encode: (record: object) => Object.fromEntries(stored.map(([name]) => [name, Reflect.get(record, name)])),
    decode: (id, attributes) => rowOf<R>({ id, ...Object.fromEntries(stored.map(([name]) => [name, attributes[name]])) }),
  });
};
