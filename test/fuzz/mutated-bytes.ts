import * as fc from 'fast-check';

/** A change of octets. `at` is its position as a fraction of the length. */
type Mutation = { readonly at: number; readonly length: number } & (
  | { readonly kind: 'cut' | 'remove' | 'repeat' | 'flip' }
  | { readonly kind: 'insert'; readonly octets: Buffer }
);

const apply = (octets: Buffer, mutation: Mutation): Buffer => {
  const start = Math.floor(mutation.at * octets.length);
  const end = Math.min(octets.length, start + mutation.length);
  const [before, changed, after] = [octets.subarray(0, start), octets.subarray(start, end), octets.subarray(end)];
  switch (mutation.kind) {
    case 'cut':
      return before;
    case 'remove':
      return Buffer.concat([before, after]);
    case 'repeat':
      return Buffer.concat([before, changed, changed, after]);
    case 'flip':
      return Buffer.concat([before, Buffer.from(changed.map((octet) => octet ^ (1 << (mutation.length % 8)))), after]);
    case 'insert':
    default:
      return Buffer.concat([before, mutation.octets, changed, after]);
  }
};

/**
 * Octets of a corpus after some mutations: truncated, deleted, repeated, with flipped bits, or with inserted pieces of
 * the grammar.
 */
export const mutatedBytes = (corpus: readonly (string | Buffer)[], pieces: readonly string[]): fc.Arbitrary<Buffer> => {
  const place = { at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), length: fc.integer({ min: 1, max: 40 }) };
  const inserted = fc.oneof(
    fc.constantFrom(...pieces).map((piece) => Buffer.from(piece)),
    fc.tuple(fc.constantFrom(...pieces), fc.integer({ min: 2, max: 300 })).map(([piece, count]) => Buffer.from(piece.repeat(count))),
    fc.uint8Array({ minLength: 1, maxLength: 8 }).map((octets) => Buffer.from(octets)),
  );
  const mutation: fc.Arbitrary<Mutation> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ ...place, kind: fc.constant('insert' as const), octets: inserted }) },
    { weight: 3, arbitrary: fc.record({ ...place, kind: fc.constantFrom('remove' as const, 'repeat' as const, 'flip' as const) }) },
    { weight: 1, arbitrary: fc.record({ ...place, kind: fc.constant('cut' as const) }) },
  );
  const whole = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...corpus).map((each) => Buffer.from(each)) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((all) => Buffer.from(all.join(''))) },
  );
  return fc.tuple(whole, fc.array(mutation, { maxLength: 8 })).map(([octets, mutations]) => mutations.reduce(apply, octets));
};

export const mutatedText = (corpus: readonly string[], pieces: readonly string[]): fc.Arbitrary<string> =>
  mutatedBytes(corpus, pieces).map((octets) => octets.toString());
