import * as fc from 'fast-check';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';

/** Texts that a vCard must escape, fold or put in quotes. */
const text = fc
  .array(fc.constantFrom('a', 'Ö', '😀', '語', ' b', ',', ';', ':', '\\', '"', "'", '=', '^', '\n', '\\n', 'word '), { minLength: 1, maxLength: 40 })
  .map((parts) => `x${parts.join('')}x`);
const map = (value: fc.Arbitrary<object>) => fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), value, { minKeys: 1, maxKeys: 3 });
const components = (...kinds: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom(...kinds), { minLength: 1 }).chain((chosen) => fc.tuple(...chosen.map((kind) => text.map((value) => ({ kind, value })))));

const cards = fc.record(
  {
    uid: text,
    name: fc.record({ full: text, components: components('surname', 'given', 'given2', 'title', 'credential') }),
    emails: map(fc.record({ address: text, label: text }, { requiredKeys: ['address'] })),
    phones: map(
      fc.record({ number: text, features: fc.constantFrom({ mobile: true }, { fax: true, voice: true }), contexts: fc.constantFrom({ work: true }, {}) }),
    ),
    notes: map(text.map((note) => ({ note }))),
    links: map(fc.webUrl({ withQueryParameters: true }).map((uri) => ({ uri: `${uri},b;c` }))),
    organizations: map(
      fc.record(
        {
          name: text,
          units: fc.array(
            text.map((name) => ({ name })),
            { minLength: 1, maxLength: 2 },
          ),
        },
        { requiredKeys: ['name'] },
      ),
    ),
    titles: map(text.map((name) => ({ kind: 'title', name }))),
    addresses: map(fc.record({ components: components('name', 'locality', 'region', 'postcode', 'country', 'postOfficeBox') })),
    anniversaries: fc.constant({ a1: { kind: 'birth', date: { '@type': 'PartialDate', year: 1985, month: 4, day: 12 } } }),
    keywords: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }).map((names) => Object.fromEntries(names.map((name) => [name, true]))),
    media: fc
      .uint8Array({ minLength: 1, maxLength: 200 })
      .map((octets) => ({ m1: { kind: 'photo', uri: `data:image/png;base64,${Buffer.from(octets).toString('base64')}` } })),
    vCardProps: text.map((kept) => [['x-kept', {}, 'text', kept]]),
  },
  { requiredKeys: ['name', 'uid'] },
);

/** Cards with texts of all kinds, the same for the same seed. */
export const sampleCards = (count: number, seed: number): readonly JsonObject[] => fc.sample(cards, { numRuns: count, seed });
