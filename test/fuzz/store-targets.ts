import assert from 'node:assert/strict';
import { encodeSnapshot, readSnapshot, UnusableSnapshot, type SnapshotContent } from '../../core/account-index/snapshot/snapshot-file.ts';
import { parseSnapshotName } from '../../core/account-index/snapshot/snapshot-name.ts';
import { parseBlobId } from '../../core/mail/email/blob-id.ts';
import { asyncFuzzTarget, fuzzTarget, type FuzzTarget } from './fuzz-target.ts';
import { mutatedBytes, mutatedText } from './mutated-bytes.ts';

const content: SnapshotContent = {
  accountId: 'acc_1',
  sequence: 7,
  types: {
    Email: { json: { sets: ['a'] }, arrays: { ids: { values: new Uint8Array([1, 2, 3]) }, times: { values: new Float64Array([1.5, -1]), capacity: 4 } } },
    Mailbox: { json: {}, arrays: { numbers: { values: new Uint32Array([7, 2 ** 32 - 1]) }, small: { values: new Uint16Array(0) } } },
  },
};
const { bytes, headerOctets } = encodeSnapshot(content);
const read = (stored: Buffer) => readSnapshot(async (start, end) => stored.subarray(start, end), { headerOctets, octets: stored.length });
const whole = read(bytes);

/** Decoders of stored files and names. */
export const storeTargets: readonly FuzzTarget[] = [
  asyncFuzzTarget(
    'snapshot',
    () => mutatedBytes([bytes], ['\0', '{', '"', 'PRSNAP', 'Uint8Array', '4294967295']),
    async (stored) => {
      try {
        assert.deepEqual(await read(stored), await whole);
      } catch (error) {
        if (!(error instanceof UnusableSnapshot)) throw error;
      }
    },
  ),
  fuzzTarget(
    'names',
    () =>
      mutatedText(
        ['v1-7-500-900-1000-ab', 'Bq3x0000000000000000000', 'Pq3x0000000000000000000-10-20-b', 'U0123456789abcdef', '12-3-4-5-6-n'],
        ['-', '_', '0', '99999999999999999999', 'B', 'P', 'U', '/', '..', '\0', 'é', '='],
      ),
    (text) => {
      const name = parseSnapshotName(text);
      for (const number of Object.values(name ?? {})) {
        assert.ok(typeof number === 'string' || Number.isSafeInteger(number), 'numbers are safe');
      }
      const blob = parseBlobId(text);
      if (blob?.kind === 'part') assert.ok(blob.start <= blob.end && blob.start >= 0, 'a part is a range');
      if (blob && 'key' in blob) assert.doesNotMatch(blob.key, /[/\0]|\.\./);
    },
  ),
];
