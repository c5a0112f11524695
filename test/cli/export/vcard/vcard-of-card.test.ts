import * as fc from 'fast-check';
import { vCardOfCard } from '../../../../cli/export/vcard/vcard-of-card.ts';
import { cardOfVCard } from '../../../../cli/import/vcard/card-of-vcard.ts';
import { formatVCard, parseVCard, vCardVersions, type VCardVersion } from '../../../../cli/import/vcard/content-lines.ts';
import { vCardsIn } from '../../../../cli/import/vcard/vcard-file.ts';
import type { JsonObject } from '../../../../contract/jmap/data-type.ts';
import { assertProperty } from '../../../support/assert-property.ts';

const textOf = (card: JsonObject, version: VCardVersion): string =>
  formatVCard(vCardOfCard({ '@type': 'Card', version: '1.0', ...card }, version).lines, version);
const linesOf = (card: JsonObject, version: VCardVersion): readonly string[] =>
  textOf(card, version)
    .replaceAll('\r\n ', '')
    .split('\r\n')
    .filter((line) => !/^(?:BEGIN|END|VERSION|FN|N)[:;]/.test(line) && line !== '');
const cardIn = (text: string): JsonObject => cardOfVCard(parseVCard(vCardsIn(Buffer.from(text))[0]!));
const props = (...properties: readonly unknown[]): JsonObject => ({ vCardProps: properties });
const birth = (date: object): JsonObject => ({ anniversaries: { a1: { kind: 'birth', date } } });

type Case = readonly [title: string, card: JsonObject, in3: readonly string[], in4: readonly string[]];

const cases: readonly Case[] = [
  ['a gender', props(['gender', {}, 'text', ['O', 'it; is']]), ['X-GENDER:O;it\\; is'], ['GENDER:O;it\\; is']],
  ['a value of the type unknown', props(['gender', {}, 'unknown', 'F']), ['X-GENDER:F'], ['GENDER:F']],
  ['a birthday', birth({ year: 1985, month: 4, day: 12 }), ['BDAY:1985-04-12'], ['BDAY;PROP-ID=a1:19850412']],
  ['a birthday without a year', birth({ month: 5, day: 4 }), ['BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-04'], ['BDAY;PROP-ID=a1:--0504']],
  ['a year of birth', birth({ year: 1985 }), ['X-BDAY:1985'], ['BDAY;PROP-ID=a1:1985']],
  [
    'a time of birth',
    birth({ '@type': 'Timestamp', utc: '1985-04-12T01:02:03Z' }),
    ['BDAY;VALUE=date-time:1985-04-12T01:02:03Z'],
    ['BDAY;PROP-ID=a1:19850412T010203Z'],
  ],
  ['a birthday in words', props(['bday', {}, 'text', 'circa 1800']), ['X-BDAY;VALUE=text:circa 1800'], ['BDAY;VALUE=text:circa 1800']],
  ['a language', { preferredLanguages: { p1: { language: 'de', pref: 1 } } }, ['X-LANG;TYPE=pref:de'], ['LANG;PROP-ID=p1;PREF=1:de']],
  [
    'a time zone',
    props(['tz', {}, 'text', 'Europe/Berlin'], ['tz', {}, 'utc-offset', '-05:00']),
    ['TZ;VALUE=text:Europe/Berlin', 'TZ:-05:00'],
    ['TZ:Europe/Berlin', 'TZ;VALUE=utc-offset:-0500'],
  ],
  [
    'coordinates',
    props(['geo', {}, 'uri', 'geo:52.5,13.4'], ['geo', {}, 'uri', 'geo:1,2;u=3']),
    ['GEO:52.5;13.4', 'X-GEO:geo:1\\,2;u=3'],
    ['GEO:geo:52.5,13.4', 'GEO:geo:1,2;u=3'],
  ],
  ['a link with separators', { links: { l1: { uri: 'http://x.test/a,b;c:d' } } }, ['URL:http://x.test/a\\,b;c:d'], ['URL;PROP-ID=l1:http://x.test/a,b;c:d']],
  ['a uid', { uid: 'urn:uuid:1' }, ['UID:urn:uuid:1'], ['UID:urn:uuid:1']],
  ['a uid that is a text', { uid: 'a,b' }, ['UID:a\\,b'], ['UID;VALUE=text:a\\,b']],
  ['line ends of Windows', { notes: { n1: { note: 'a\r\nb' } } }, ['NOTE:a\\nb'], ['NOTE;PROP-ID=n1:a\\nb']],
  ['a map of clients', props(['clientpidmap', {}, 'text', ['1', 'urn:uuid:2']]), ['X-CLIENTPIDMAP:1;urn:uuid:2'], ['CLIENTPIDMAP:1;urn:uuid:2']],
  ['AGENT', props(['agent', {}, 'text', 'BEGIN:VCARD\nEND:VCARD']), ['AGENT:BEGIN:VCARD\\nEND:VCARD'], ['X-AGENT:BEGIN:VCARD\\nEND:VCARD']],
  [
    'keys and photos',
    {
      cryptoKeys: { c1: { uri: 'data:application/pgp-keys;base64,AA' } },
      media: { m1: { kind: 'photo', uri: 'data:image/png;base64,AA' }, m2: { kind: 'logo', uri: 'data:x/y;base64,AA' } },
    },
    ['KEY;ENCODING=b;TYPE=PGP:AA', 'PHOTO;ENCODING=b;TYPE=PNG:AA', 'LOGO;ENCODING=b;TYPE=x/y:AA'],
    ['KEY;PROP-ID=c1:data:application/pgp-keys;base64,AA', 'PHOTO;PROP-ID=m1:data:image/png;base64,AA', 'LOGO;PROP-ID=m2:data:x/y;base64,AA'],
  ],
  [
    'content that is no base64',
    { media: { m1: { kind: 'photo', uri: 'data:image/png;base64,AA-' } } },
    ['PHOTO;VALUE=uri:data:image/png;base64\\,AA-'],
    ['PHOTO;PROP-ID=m1:data:image/png;base64,AA-'],
  ],
  [
    'a service',
    { onlineServices: { o1: { service: 'Skype', uri: 'skype:t', vCardName: 'impp' }, o2: { service: 'M', user: '@m' } } },
    ['IMPP;X-SERVICE-TYPE=Skype:skype:t', 'X-SOCIALPROFILE;VALUE=text;X-SERVICE-TYPE=M:@m'],
    ['IMPP;PROP-ID=o1;SERVICE-TYPE=Skype:skype:t', 'SOCIALPROFILE;VALUE=text;PROP-ID=o2;SERVICE-TYPE=M:@m'],
  ],
  [
    'labels',
    {
      emails: { e1: { address: 'a@b.test', label: 'Desk' }, e2: { address: 'c@d.test', label: 'Desk 2', vCardParams: { group: 'item1' } } },
      ...props(['x-a', { group: 'item1' }, 'unknown', 'b']),
    },
    ['item2.EMAIL:a@b.test', 'item1.EMAIL:c@d.test', 'item2.X-ABLabel:Desk', 'item1.X-ABLabel:Desk 2', 'item1.X-A:b'],
    ['item2.EMAIL;PROP-ID=e1:a@b.test', 'item1.EMAIL;PROP-ID=e2:c@d.test', 'item2.X-ABLabel:Desk', 'item1.X-ABLabel:Desk 2', 'item1.X-A:b'],
  ],
  ['an id of a client', { emails: { 'my-id': { address: 'a@b.test' } } }, ['EMAIL;X-PROP-ID=my-id:a@b.test'], ['EMAIL;PROP-ID=my-id:a@b.test']],
  [
    'an address',
    { addresses: { a1: { full: 'S\n"T"', countryCode: 'DE', components: [{ kind: 'name', value: 'S;1' }] } } },
    ['ADR;X-CC=DE:;;S\\;1;;;;', 'LABEL:S\\n"T"'],
    ['ADR;LABEL="S^n^\'T^\'";PROP-ID=a1;CC=DE:;;S\\;1;;;;'],
  ],
  [
    'an object of a vendor',
    { 'test.example:x': { a: 'b,\u2028' } },
    ['X-JSPROP;X-JSPTR="test.example:x":{"a":"b\\,\\\\u2028"}'],
    ['JSPROP;JSPTR="test.example:x":{"a":"b\\,\\\\u2028"}'],
  ],
  [
    'a calendar of an unknown kind',
    { calendars: { c1: { kind: 'toString', uri: 'x:y' } } },
    ['X-JSPROP;X-JSPTR=calendars:{"c1":{"kind":"toString"\\,"uri":"x:y"}}'],
    ['JSPROP;JSPTR=calendars:{"c1":{"kind":"toString"\\,"uri":"x:y"}}'],
  ],
  [
    'line breaks in any property of a client',
    props(
      ['x-a', { 'x-p': 'a\r\nX-INJECTED:1', group: 'g\r\nX' }, 'unknown', 'a\r\nX-INJECTED:1\u0085\0'],
      ['url', { type: ['a\nb'] }, 'uri', 'http://a\nEND:VCARD'],
    ),
    ['X-A;X-P="a^nX-INJECTED:1":a\\nX-INJECTED:1', 'URL;TYPE="a^nb":http://a\\nEND:VCARD'],
    ['X-A;X-P="a^nX-INJECTED:1":a\\nX-INJECTED:1', 'URL;TYPE="a^nb":http://a\\nEND:VCARD'],
  ],
  [
    'values of other types of JSON',
    props(['x-a', {}, 'boolean', true], ['x-b', {}, 'integer', 1, 2], ['x-c', {}, 'text', ['a', ['b', 'c;d']]]),
    ['X-A;VALUE=boolean:true', 'X-B;VALUE=integer:1,2', 'X-C;VALUE=text:a;b,c\\;d'],
    ['X-A;VALUE=boolean:true', 'X-B;VALUE=integer:1,2', 'X-C;VALUE=text:a;b,c\\;d'],
  ],
];

describe('a vCard of a card', () => {
  test.each(cases)('with %s has it in version 3', (_, card, in3) => expect(linesOf(card, '3.0')).toEqual(in3));
  test.each(cases)('with %s has it in version 4', (_, card, _in3, in4) => expect(linesOf(card, '4.0')).toEqual(in4));

  test.each([
    'text',
    ['x-a', {}, 'text'],
    ['x a', {}, 'text', 'b'],
    ['x-a\r\nB:c', {}, 'text', 'b'],
    ['x-a', null, 'text', 'b'],
    ['begin', {}, 'text', 'VCARD'],
    ['END', {}, 'text', 'VCARD'],
    ['version', {}, 'text', '2.1'],
    ['x-a', {}, 'text', { a: 1 }],
    ['x-a', {}, 'text', [[[['deep']]]]],
    null,
    [],
    1,
  ])('is written without what is no property, which is named: %j', (property) => {
    const { lines, leftOut } = vCardOfCard({ uid: 'u', vCardProps: [property] }, '4.0');
    expect(lines.map(({ name }) => name)).toEqual(['fn', 'uid']);
    expect(leftOut).toEqual([JSON.stringify(property)]);
  });

  test('has the parts of a name in the order in which they are spoken', () => {
    const components = [
      { kind: 'surname', value: 'King' },
      { kind: 'given', value: 'Ada' },
      { kind: 'title', value: 'Dr.' },
    ];
    expect(textOf({ name: { components } }, '4.0')).toContain('FN;DERIVED=TRUE:Dr. Ada King\r\nN:King;Ada;;Dr.;\r\n');
    expect(textOf({ name: { components, isOrdered: true } }, '4.0')).toContain('FN;DERIVED=TRUE:King Ada Dr.\r\n');
  });

  test('has a name in the place of one that the card does not have', () => {
    expect(vCardVersions.map((version) => textOf({ organizations: { o: { name: 'Acme' } } }, version))).toEqual([
      expect.stringContaining('FN;X-DERIVED=TRUE:Acme\r\nN:;;;;\r\n'),
      expect.stringContaining('FN;DERIVED=TRUE:Acme\r\nORG'),
    ]);
  });
});

/** Texts that vCards must escape or fold. */
const text = fc.stringMatching(/^[a-zé😀,;:\\"'=^\n ]{1,30}$/u);
const id = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const map = (value: fc.Arbitrary<object>) => fc.dictionary(id, value, { minKeys: 1, maxKeys: 3 });
const common = fc.record(
  {
    contexts: fc.constantFrom({ work: true }, { private: true }, { private: true, work: true }),
    pref: fc.integer({ min: 1, max: 100 }),
    label: text,
    vCardParams: fc.record({ group: id, altid: text, type: fc.constantFrom('x', ['y', 'z']) }, { requiredKeys: ['altid'] }),
  },
  { requiredKeys: [] },
);
const withCommon = (value: fc.Arbitrary<object>) => fc.tuple(value, common).map((parts) => Object.assign({}, ...parts) as object);
/** An object with components in any order, which counts. */
const ordered = (kinds: readonly string[], more: { readonly [name: string]: fc.Arbitrary<unknown> }) =>
  fc
    .tuple(fc.array(fc.record({ kind: fc.constantFrom(...kinds), value: text }), { minLength: 1, maxLength: 5 }), fc.record(more, { requiredKeys: [] }))
    .map(([components, others]) => ({ components, isOrdered: true, ...others }));
const date = fc.record(
  {
    '@type': fc.constant('PartialDate'),
    year: fc.integer({ min: 1, max: 9999 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 31 }),
  },
  { requiredKeys: ['@type', 'month'] },
);
const cards = fc.record(
  {
    '@type': fc.constant('Card'),
    version: fc.constant('1.0'),
    uid: fc.stringMatching(/^[a-z,;:\\"]{1,30}$/),
    name: ordered(['surname', 'given', 'given2', 'title', 'credential', 'surname2', 'generation', 'separator'], {
      full: text,
      sortAs: fc.dictionary(fc.constantFrom('surname', 'given'), text, { minKeys: 1 }),
    }),
    nicknames: map(withCommon(text.map((name) => ({ name })))),
    emails: map(withCommon(text.map((address) => ({ address })))),
    phones: map(withCommon(fc.constantFrom({ number: '+44 20 555' }, { number: 'tel:+1;ext=2' }, { number: '1', features: { mobile: true } }))),
    organizations: map(
      fc.record(
        { name: text, sortAs: text, units: fc.array(fc.record({ name: text, sortAs: text }, { requiredKeys: ['name'] }), { minLength: 1, maxLength: 3 }) },
        { requiredKeys: ['name'] },
      ),
    ),
    titles: map(fc.record({ name: text, kind: fc.constantFrom('title', 'role', 'other'), organizationId: id }, { requiredKeys: ['name'] })),
    notes: map(fc.record({ note: text, author: fc.record({ name: text }) }, { requiredKeys: ['note'] })),
    links: map(withCommon(text.map((uri) => ({ uri })))),
    onlineServices: map(withCommon(fc.record({ service: text, user: text, uri: text }, { requiredKeys: ['user'] }))),
    media: map(
      withCommon(
        fc.constantFrom(
          { kind: 'photo', uri: 'data:image/png;base64,AAAA' },
          { kind: 'logo', uri: 'data:text/x,AA' },
          { kind: 'sound', uri: 'http://x', mediaType: 'audio/x' },
        ),
      ),
    ),
    addresses: map(withCommon(ordered(['name', 'locality', 'number', 'room', 'apartment', 'country'], { full: text, timeZone: text, countryCode: text }))),
    anniversaries: map(fc.record({ kind: fc.constantFrom('birth', 'wedding', 'death', 'other'), date })),
    relatedTo: fc.dictionary(text, fc.record({ relation: fc.constantFrom({}, { friend: true }, { a: true, b: true }) }), { minKeys: 1 }),
    personalInfo: map(
      fc.record(
        { kind: fc.constantFrom('hobby', 'expertise', 'x'), value: text, level: fc.constantFrom('low', 'high'), listAs: fc.integer({ min: 1, max: 9 }) },
        { requiredKeys: ['kind', 'value'] },
      ),
    ),
    speakToAs: fc.record(
      { grammaticalGender: fc.constantFrom('neuter', 'X'), pronouns: map(withCommon(text.map((pronouns) => ({ pronouns })))) },
      { requiredKeys: ['pronouns'] },
    ),
    keywords: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }).map((names) => Object.fromEntries(names.map((name) => [name, true]))),
    localizations: fc
      .dictionary(id, fc.dictionary(text, text), { minKeys: 1 })
      .filter((each) => Object.values(each).every((patch) => Object.keys(patch).length > 0)),
    'test.example:any': fc.jsonValue({ maxDepth: 4 }).filter((each) => JSON.stringify(each) !== '{}'),
  },
  { requiredKeys: ['@type', 'version', 'uid', 'name'] },
);

describe.each(vCardVersions)('vCards of version %s', (version) => {
  test('keep all that a card has, and say the same when they are written again', () => {
    assertProperty(
      fc.property(cards, (card) => {
        const written = textOf(card, version);
        const again = cardIn(written);
        expect(again).toMatchObject(JSON.parse(JSON.stringify(card)) as object);
        expect(cardIn(textOf(again, version))).toEqual(again);
      }),
    );
  });

  test('are well formed whatever properties a client stored', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const property = fc.tuple(
      fc.constantFrom('x-a', 'bday', 'geo', 'tz', 'n', 'gender', 'key', 'rev', 'email', 'adr', 'agent', 'jsprop', 'a\r\nb', '__proto__'),
      fc.dictionary(text, json),
      fc.constantFrom('text', 'uri', 'unknown', 'x\ny'),
      json,
    );
    assertProperty(
      fc.property(fc.oneof(json, fc.array(fc.oneof(property, json))), (vCardProps) => {
        const written = textOf({ uid: 'u', vCardProps }, version);
        const vCards = vCardsIn(Buffer.from(written));
        expect(vCards).toHaveLength(1);
        const again = cardOfVCard(parseVCard(vCards[0]!));
        expect(cardIn(textOf(again, version))).toEqual(again);
      }),
    );
  });
});
