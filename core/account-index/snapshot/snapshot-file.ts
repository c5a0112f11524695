import { crc32 } from 'node:zlib';
import { keysOf } from '../../../contract/values/typed-entries.ts';
import type { SavedIndex, SnapshotArray } from '../../account-log/records/stored-type.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';

/**
 * The file of a snapshot: a preamble, a header of JSON, then the arrays of the header in its order, little-endian.
 *
 * | Octets | Preamble |
 * |---|---|
 * | 0–5 | `PRSNAP` |
 * | 6–7 | `snapshotVersion` |
 * | 8–11 | octets of the JSON |
 * | 12–19 | octets of the file |
 * | 20–23 | CRC-32 of the octets before it and of the JSON |
 *
 * The JSON has the length and the CRC-32 of each array.
 */
const magic = 'PRSNAP';
const crcOffset = 20;
const preambleOctets = 24;

/**
 * The version of the file format, including the format of each type's data. The indexer replaces files of older
 * versions.
 */
export const snapshotVersion = 1;

/**
 * Octets of one range request, and maximum concurrent requests. S3 is fastest with several ranges of about this length.
 */
const rangeOctets = 8 * 1024 * 1024;
const concurrentRanges = 4;

/** The content of a snapshot. */
export type SnapshotContent = {
  readonly accountId: string;
  /** The newest commit in the snapshot. */
  readonly sequence: number;
  /** The saved index of each type, by type name. */
  readonly types: { readonly [type: string]: SavedIndex };
};

/** The reason why a snapshot can't be used. `newer`: a newer release wrote it; `unreadable`: S3 failed. */
type SnapshotProblem = 'missing' | 'damaged' | 'outdated' | 'newer' | 'unreadable';

/** Thrown for a snapshot that can't be used. The account is then loaded from its records. */
export class UnusableSnapshot extends Error {
  override readonly name = 'UnusableSnapshot';
  readonly problem: SnapshotProblem;
  constructor(problem: SnapshotProblem, options?: ErrorOptions) {
    super(`the snapshot of an account is ${problem}`, options);
    this.problem = problem;
  }
}

const arrayKinds = { Uint8Array, Uint16Array, Uint32Array, Float64Array } as const;
type ArrayKind = keyof typeof arrayKinds;

/** An array in the header. `length` and `capacity` count elements. */
type ArrayHeader = { readonly name: string; readonly kind: ArrayKind; readonly length: number; readonly capacity: number; readonly crc: number };

type TypeHeader = { readonly name: string; readonly json: object; readonly arrays: readonly ArrayHeader[] };
type FileHeader = { readonly accountId: string; readonly sequence: number; readonly types: readonly TypeHeader[] };

const octetsOf = ({ buffer, byteOffset, byteLength }: SnapshotArray): Buffer => Buffer.from(buffer, byteOffset, byteLength);

const arrayHeader = (name: string, { values, capacity = values.length }: SavedIndex['arrays'][string]): ArrayHeader => ({
  name,
  kind: keysOf(arrayKinds).find((kind) => values instanceof arrayKinds[kind])!,
  length: values.length,
  capacity,
  crc: crc32(octetsOf(values)),
});

const headerChecksum = (preamble: Buffer, json: Buffer): number => crc32(json, crc32(preamble.subarray(0, crcOffset)));

/** Encodes a snapshot. @returns the file, with the octets of its preamble and JSON together. */
export const encodeSnapshot = ({ accountId, sequence, types }: SnapshotContent): { readonly bytes: Buffer; readonly headerOctets: number } => {
  const header: FileHeader = {
    accountId,
    sequence,
    types: Object.entries(types).map(([name, { json, arrays }]) => ({
      name,
      json,
      arrays: Object.entries(arrays).map(([arrayName, array]) => arrayHeader(arrayName, array)),
    })),
  };
  const json = Buffer.from(JSON.stringify(header));
  const arrays = Object.values(types).flatMap((type) => Object.values(type.arrays).map(({ values }) => octetsOf(values)));
  const octets = arrays.reduce((sum, { length }) => sum + length, preambleOctets + json.length);
  const preamble = Buffer.alloc(preambleOctets);
  preamble.write(magic, 'latin1');
  preamble.writeUInt16LE(snapshotVersion, 6);
  preamble.writeUInt32LE(json.length, 8);
  preamble.writeBigUInt64LE(BigInt(octets), 12);
  preamble.writeUInt32LE(headerChecksum(preamble, json), crcOffset);
  return { bytes: Buffer.concat([preamble, json, ...arrays], octets), headerOctets: preambleOctets + json.length };
};

/** @throws UnusableSnapshot */
const decodeHeader = (start: Buffer, octets: number): { readonly header: FileHeader; readonly end: number } => {
  if (start.length < preambleOctets || start.toString('latin1', 0, magic.length) !== magic) throw new UnusableSnapshot('damaged');
  const end = preambleOctets + start.readUInt32LE(8);
  const json = start.subarray(preambleOctets, end);
  if (start.length < end || start.readBigUInt64LE(12) !== BigInt(octets) || headerChecksum(start, json) !== start.readUInt32LE(crcOffset)) {
    throw new UnusableSnapshot('damaged');
  }
  const version = start.readUInt16LE(6);
  if (version !== snapshotVersion) throw new UnusableSnapshot(version < snapshotVersion ? 'outdated' : 'newer');
  const header: FileHeader = JSON.parse(json.toString());
  return { header, end };
};

/**
 * Collects the arrays of a file while its octets arrive, in any order. Each octet is copied directly into its array.
 */
class ArrivingArrays {
  readonly #types: [name: string, type: SavedIndex][] = [];
  /** The octets of each array in the file's order, with their position and checksum. */
  readonly #targets: { readonly at: number; readonly octets: Buffer; readonly crc: number }[] = [];
  readonly #end: number;

  constructor({ types }: FileHeader, at: number) {
    for (const { name, json, arrays } of types) {
      const saved: { [array: string]: { readonly values: SnapshotArray } } = {};
      for (const { name: arrayName, kind, length, capacity, crc } of arrays) {
        const values = new arrayKinds[kind](capacity);
        const octets = octetsOf(values).subarray(0, length * values.BYTES_PER_ELEMENT);
        saved[arrayName] = { values };
        this.#targets.push({ at, octets, crc });
        at += octets.length;
      }
      this.#types.push([name, { json, arrays: saved }]);
    }
    this.#end = at;
  }

  write(start: number, octets: Buffer): void {
    for (const target of this.#targets) {
      const from = Math.max(start, target.at);
      const to = Math.min(start + octets.length, target.at + target.octets.length);
      if (from < to) octets.copy(target.octets, from - target.at, from - start, to - start);
    }
  }

  /** @throws UnusableSnapshot when the octets differ from those that were written. */
  finish(octets: number): SnapshotContent['types'] {
    if (this.#end !== octets || !this.#targets.every((target) => crc32(target.octets) === target.crc)) throw new UnusableSnapshot('damaged');
    return Object.fromEntries(this.#types);
  }
}

/**
 * Reads a file by concurrent range requests. Octets are copied into the arrays as they arrive, so that file and arrays
 * are not in memory at the same time.
 * @param read returns a range of the file (`end` exclusive).
 * @throws UnusableSnapshot
 */
export const readSnapshot = async (
  read: (start: number, end: number) => Promise<Buffer>,
  { headerOctets, octets }: { readonly headerOctets: number; readonly octets: number },
): Promise<SnapshotContent> => {
  const firstEnd = Math.min(octets, Math.max(headerOctets, rangeOctets));
  const starts = Array.from({ length: Math.ceil((octets - firstEnd) / rangeOctets) }, (_, i) => firstEnd + i * rangeOctets);
  const first = (async () => {
    const bytes = await read(0, firstEnd);
    const { header, end } = decodeHeader(bytes, octets);
    const arrays = new ArrivingArrays(header, end);
    arrays.write(0, bytes);
    return { header, arrays };
  })();
  const [{ header, arrays }] = await Promise.all([
    first,
    mapConcurrently(
      starts,
      async (start) => {
        const bytes = await read(start, Math.min(start + rangeOctets, octets));
        (await first).arrays.write(start, bytes);
      },
      { atOnce: concurrentRanges },
    ),
  ]);
  return { accountId: header.accountId, sequence: header.sequence, types: arrays.finish(octets) };
};
