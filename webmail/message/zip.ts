export type ZipEntry = { readonly name: string; readonly content: Blob; readonly time: Date };

/** Octets that are read at once for a checksum, so that a large file is never in memory as a whole. */
const pieceSize = 1 << 20;

/** The remainders of CRC-32 (ISO 3309) by octet. */
const remainders = Uint32Array.from({ length: 256 }, (_, octet) => {
  let remainder = octet;
  for (let bit = 0; bit < 8; bit += 1) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xed_b8_83_20 : remainder >>> 1;
  return remainder;
});

const crc32 = async (content: Blob): Promise<number> => {
  let crc = 0xff_ff_ff_ff;
  for (let at = 0; at < content.size; at += pieceSize) {
    for (const octet of new Uint8Array(await content.slice(at, at + pieceSize).arrayBuffer())) crc = remainders[(crc ^ octet) & 255]! ^ (crc >>> 8);
  }
  return ~crc >>> 0;
};

/** Numbers as octets, the lowest first, each with the count of its octets. */
const record = (...fields: readonly (readonly [octets: 2 | 4, value: number])[]): Uint8Array<ArrayBuffer> => {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [octets]) => sum + octets, 0)));
  let at = 0;
  for (const [octets, value] of fields) {
    if (octets === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += octets;
  }
  return new Uint8Array(view.buffer);
};

/** A local time as MS-DOS has it, which begins in 1980 and ends in 2107. */
const dosTime = (time: Date): { readonly day: number; readonly clock: number } => {
  const year = Math.min(127, Math.max(0, time.getFullYear() - 1980));
  return {
    day: (year << 9) | ((time.getMonth() + 1) << 5) | time.getDate(),
    clock: (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1),
  };
};

const version = 20;
/** The flag of names in UTF-8. */
const utf8 = 0x800;
const stored = 0;

/** Makes a zip file without compression (APPNOTE.TXT §4.3), of at most 65,535 entries and 4 GB. */
export const zipOf = async (entries: readonly ZipEntry[]): Promise<Blob> => {
  const parts: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { name, content, time } of entries) {
    const encoded = new TextEncoder().encode(name);
    const { day, clock } = dosTime(time);
    const facts = [
      [2, version],
      [2, utf8],
      [2, stored],
      [2, clock],
      [2, day],
      [4, await crc32(content)],
      [4, content.size],
      [4, content.size],
      [2, encoded.length],
      [2, 0],
    ] as const;
    const header = record([4, 0x04_03_4b_50], ...facts);
    parts.push(header, encoded, content);
    // After the facts: the length of a comment, the disk, attributes within and outside, and where the entry begins.
    directory.push(record([4, 0x02_01_4b_50], [2, version], ...facts, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), encoded);
    offset += header.length + encoded.length + content.size;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = record([4, 0x06_05_4b_50], [2, 0], [2, 0], [2, entries.length], [2, entries.length], [4, size], [4, offset], [2, 0]);
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
};
