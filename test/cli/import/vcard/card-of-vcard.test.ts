import { vCardOfCard } from '../../../../cli/export/vcard/vcard-of-card.ts';
import { cardOfVCard } from '../../../../cli/import/vcard/card-of-vcard.ts';
import { formatVCard, parseVCard, vCardVersions } from '../../../../cli/import/vcard/content-lines.ts';
import { vCardsIn } from '../../../../cli/import/vcard/vcard-file.ts';
import type { JsonObject } from '../../../../contract/jmap/data-type.ts';

const vCard = (version: string, lines: readonly string[]): string => ['BEGIN:VCARD', `VERSION:${version}`, ...lines, 'END:VCARD', ''].join('\r\n');
const cardIn = (text: string): JsonObject => cardOfVCard(parseVCard(vCardsIn(Buffer.from(text))[0]!));
const read = (version: string, ...lines: readonly string[]): JsonObject => {
  const { '@type': type, version: jsVersion, ...card } = cardIn(vCard(version, lines));
  expect([type, jsVersion]).toEqual(['Card', '1.0']);
  return card;
};

/** What is read of lines of a version, and a part of the Card that they become. */
type Case = readonly [title: string, version: string, lines: readonly string[], card: JsonObject];

const date = (kind: string, value: object) => ({ anniversaries: { a1: { kind, date: { '@type': 'PartialDate', ...value } } } });
const kept = (...properties: readonly unknown[]) => ({ vCardProps: properties });

const cases: readonly Case[] = [
  ['escapes', '3.0', ['NOTE:Open.\\n\\NHours: M-F\\:9A-8P\\; Sa\\, closed \\\\n'], { notes: { n1: { note: 'Open.\n\nHours: M-F:9A-8P; Sa, closed \\n' } } }],
  ['escapes in a URI', '3.0', ['URL:https\\://x.test/a\\,b;c'], { links: { l1: { uri: 'https://x.test/a,b;c' } } }],
  [
    'commas and semicolons without escapes in a text',
    '3.0',
    ['NOTE:a, b; c', 'TITLE:x,y'],
    { notes: { n1: { note: 'a, b; c' } }, titles: { t1: { kind: 'title', name: 'x,y' } } },
  ],
  [
    'commas without escapes in components',
    '3.0',
    ['ORG:Smith, Jones & Co;Dept', 'ADR:;;1 St, Flat 2;Town;;;'],
    {
      organizations: { o1: { name: 'Smith, Jones & Co', units: [{ name: 'Dept' }] } },
      addresses: {
        a1: {
          components: [
            { kind: 'name', value: '1 St, Flat 2' },
            { kind: 'locality', value: 'Town' },
          ],
        },
      },
    },
  ],
  [
    'a name with lists',
    '3.0',
    ['FN:Ada', 'N:King;Ada;Augusta,Byron;Lady,Dr.;', 'SORT-STRING:Kin'],
    {
      name: {
        full: 'Ada',
        sortAs: { surname: 'Kin' },
        components: [
          { kind: 'surname', value: 'King' },
          { kind: 'given', value: 'Ada' },
          { kind: 'given2', value: 'Augusta' },
          { kind: 'given2', value: 'Byron' },
          { kind: 'title', value: 'Lady' },
          { kind: 'title', value: 'Dr.' },
        ],
      },
    },
  ],
  [
    'a comma in a name of version 2.1',
    '2.1',
    ['N:King,Byron;Ada'],
    {
      name: {
        components: [
          { kind: 'surname', value: 'King,Byron' },
          { kind: 'given', value: 'Ada' },
        ],
      },
    },
  ],
  [
    'names in two languages',
    '4.0',
    ['N;ALTID=1;LANGUAGE=en:A;B;;;', 'N;ALTID=1;LANGUAGE=ja:C;D;;;', 'FN:A', 'FN;LANGUAGE=ja:C'],
    {
      name: {
        full: 'A',
        components: [
          { kind: 'surname', value: 'A' },
          { kind: 'given', value: 'B' },
        ],
        vCardParams: { altid: '1', language: 'en' },
      },
      ...kept(['n', { altid: '1', language: 'ja' }, 'text', ['C', 'D', '', '', '']], ['fn', { language: 'ja' }, 'text', 'C']),
    },
  ],
  [
    'empty values before those that a card has once',
    '4.0',
    ['FN:', 'FN:Ada', 'KIND:', 'KIND:org', 'LANGUAGE:', 'LANGUAGE:de', 'GRAMGENDER:', 'GRAMGENDER:neuter'],
    { name: { full: 'Ada' }, kind: 'org', language: 'de', speakToAs: { grammaticalGender: 'neuter' } },
  ],
  [
    'texts to sort by without a name',
    '3.0',
    ['SORT-STRING:', 'SORT-STRING:K', 'SORT-STRING:L'],
    kept(['sort-string', {}, 'text', 'K'], ['sort-string', {}, 'text', 'L']),
  ],
  [
    'a full name that is derived',
    '4.0',
    ['FN;DERIVED=TRUE:A B', 'N:B;A;;;'],
    {
      name: {
        components: [
          { kind: 'surname', value: 'B' },
          { kind: 'given', value: 'A' },
        ],
      },
    },
  ],
  [
    'lists of names and keywords',
    '3.0',
    ['NICKNAME:A,B\\,C', 'CATEGORIES:x, y', 'CATEGORIES:__proto__'],
    { nicknames: { n1: { name: 'A' }, n2: { name: 'B,C' } }, keywords: Object.fromEntries(['x', 'y', '__proto__'].map((name) => [name, true])) },
  ],
  [
    'phones and types of version 2.1',
    '2.1',
    ['TEL;HOME;CELL;PREF:1', 'TEL;WORK;ISDN:2', 'EMAIL;INTERNET:a@b.test'],
    {
      phones: {
        p1: { number: '1', features: { mobile: true }, contexts: { private: true }, pref: 1 },
        p2: { number: '2', contexts: { work: true }, vCardParams: { type: 'isdn' } },
      },
      emails: { e1: { address: 'a@b.test' } },
    },
  ],
  [
    'phones as URIs',
    '4.0',
    ['TEL;VALUE=uri;TYPE="work,voice":tel:+1-555', 'TEL;VALUE=uri:tel:+1;ext=2'],
    { phones: { p1: { number: '+1-555', features: { voice: true }, contexts: { work: true } }, p2: { number: 'tel:+1;ext=2' } } },
  ],
  [
    'labels and groups',
    '3.0',
    [
      'item1.EMAIL;type=pref:a@b.test',
      'item1.X-ABLabel:Desk',
      'item2.ADR:;;S;;;;',
      'item2.X-ABADR:de',
      'item3.X-ABDATE:2011-05-04',
      'item3.X-ABLabel:_$!<Anniversary>!$_',
      'item4.X-ABRELATEDNAMES:Mum\\, Ann',
    ],
    {
      emails: { e1: { address: 'a@b.test', pref: 1, label: 'Desk' } },
      addresses: { a1: { components: [{ kind: 'name', value: 'S' }], vCardParams: { group: 'item2' } } },
      ...kept(
        ['x-abadr', { group: 'item2' }, 'text', 'de'],
        ['x-abdate', { group: 'item3' }, 'unknown', '2011-05-04'],
        ['x-ablabel', { group: 'item3' }, 'text', '_$!<Anniversary>!$_'],
        ['x-abrelatednames', { group: 'item4' }, 'unknown', 'Mum\\, Ann'],
      ),
    },
  ],
  [
    'parameters of an address',
    '4.0',
    ['ADR;LABEL="Main St. 1^nTown";GEO="geo:1,2";TZ=Europe/Berlin;CC=DE;PREF=7:;;Main St. 1;Town;;;'],
    {
      addresses: {
        a1: {
          components: [
            { kind: 'name', value: 'Main St. 1' },
            { kind: 'locality', value: 'Town' },
          ],
          full: 'Main St. 1\nTown',
          coordinates: 'geo:1,2',
          timeZone: 'Europe/Berlin',
          countryCode: 'DE',
          pref: 7,
        },
      },
    },
  ],
  [
    'the components of RFC 9554',
    '4.0',
    ['N:A;B;;;;C;II', 'ADR:;R 1;5 Oak St;;;;;R 1;;;5;Oak St;;;;;;'],
    {
      name: {
        components: [
          { kind: 'surname', value: 'A' },
          { kind: 'given', value: 'B' },
          { kind: 'surname2', value: 'C' },
          { kind: 'generation', value: 'II' },
        ],
      },
      addresses: {
        a1: {
          components: [
            { kind: 'name', value: 'Oak St' },
            { kind: 'room', value: 'R 1' },
            { kind: 'number', value: '5' },
          ],
        },
      },
    },
  ],
  [
    'LABEL beside its address, and without one',
    '3.0',
    ['LABEL;TYPE=WORK:W\\n1', 'LABEL;TYPE=HOME:H', 'ADR;TYPE=WORK:;;W;;;;'],
    {
      addresses: { a1: { components: [{ kind: 'name', value: 'W' }], contexts: { work: true }, full: 'W\n1' }, a2: { contexts: { private: true }, full: 'H' } },
    },
  ],
  [
    'LABEL in the group of its address',
    '3.0',
    ['a.ADR:;;A;;;;', 'b.ADR;TYPE=HOME:;;B;;;;', 'b.LABEL:B 1'],
    {
      addresses: {
        a1: { components: [{ kind: 'name', value: 'A' }], vCardParams: { group: 'a' } },
        a2: { components: [{ kind: 'name', value: 'B' }], contexts: { private: true }, full: 'B 1', vCardParams: { group: 'b' } },
      },
    },
  ],
  [
    'SORT-AS and LANGUAGE',
    '4.0',
    ['ORG;SORT-AS="Big,U":The Big Co;Unit', 'N;SORT-AS="H,R":van H;R;;;', 'NOTE;LANGUAGE=fr;CREATED=20230102T000000Z;AUTHOR-NAME=Me:bonjour'],
    {
      organizations: { o1: { name: 'The Big Co', sortAs: 'Big', units: [{ name: 'Unit', sortAs: 'U' }] } },
      name: {
        components: [
          { kind: 'surname', value: 'van H' },
          { kind: 'given', value: 'R' },
        ],
        sortAs: { surname: 'H', given: 'R' },
      },
      notes: { n1: { note: 'bonjour', created: '2023-01-02T00:00:00Z', author: { name: 'Me' }, vCardParams: { language: 'fr' } } },
    },
  ],
  ['a time zone by name', '3.0', ['TZ:Europe/Berlin'], kept(['tz', {}, 'text', 'Europe/Berlin'])],
  ['a time zone as an offset', '4.0', ['TZ;VALUE=utc-offset:-0530'], kept(['tz', {}, 'utc-offset', '-05:30'])],
  ['coordinates with decimal commas, and others', '3.0', ['GEO:52,5;13,4', 'GEO:here'], kept(['geo', {}, 'uri', 'geo:52.5,13.4'], ['geo', {}, 'text', 'here'])],
  ['coordinates', '3.0', ['GEO:52.5;13.4'], kept(['geo', {}, 'uri', 'geo:52.5,13.4'])],
  ['a gender', '4.0', ['GENDER:O;it is private'], kept(['gender', {}, 'text', ['O', 'it is private']])],
  ['a gender of version 3', '3.0', ['X-GENDER:F', 'X-GENDER:Female'], kept(['gender', {}, 'text', ['F']], ['x-gender', {}, 'unknown', 'Female'])],
  [
    'keys',
    '3.0',
    ['KEY;ENCODING=b;TYPE=PGP:AAAA', 'KEY;TYPE=PGP:-----BEGIN'],
    { cryptoKeys: { c1: { uri: 'data:application/pgp-keys;base64,AAAA' } }, ...kept(['key', { type: 'pgp' }, 'text', '-----BEGIN']) },
  ],
  [
    'photos and sounds',
    '2.1',
    ['PHOTO;ENCODING=BASE64;TYPE=GIF:', ' R0lG', '', 'LOGO;BASE64:iVBORw0K', 'SOUND;WAVE;BASE64:AAAA', 'SOUND;X-IRMC-N:Ya', 'PHOTO;VALUE=URL:http://x.test/p'],
    {
      media: {
        m1: { kind: 'photo', uri: 'data:image/gif;base64,R0lG' },
        m2: { kind: 'logo', uri: 'data:image/png;base64,iVBORw0K' },
        m3: { kind: 'sound', uri: 'data:audio/wave;base64,AAAA' },
        m4: { kind: 'photo', uri: 'http://x.test/p' },
      },
      ...kept(['sound', { type: 'x-irmc-n' }, 'text', 'Ya']),
    },
  ],
  ['properties without a value', '3.0', ['PHOTO;ENCODING=b;TYPE=JPEG:', 'TEL:', 'ADR:;;;;;;', 'ORG:', 'TITLE:', 'RELATED:', 'IMPP:', 'X-ICQ:'], {}],
  [
    'services',
    '3.0',
    ['IMPP;X-SERVICE-TYPE=Skype;TYPE=HOME:skype:tina', 'X-JABBER:a@b.test', 'X-SOCIALPROFILE;type=twitter;x-user=foo:http://twitter.test/foo'],
    {
      onlineServices: {
        o1: { service: 'Skype', uri: 'skype:tina', vCardName: 'impp', contexts: { private: true } },
        o2: { service: 'Jabber', user: 'a@b.test', vCardName: 'x-jabber' },
        o3: { service: 'twitter', user: 'foo', uri: 'http://twitter.test/foo' },
      },
    },
  ],
  [
    'services of version 4',
    '4.0',
    ['SOCIALPROFILE;SERVICE-TYPE=M;USERNAME="@foo":https://m.test/foo', 'SOCIALPROFILE;SERVICE-TYPE=S;VALUE=text:peter'],
    { onlineServices: { o1: { service: 'M', user: '@foo', uri: 'https://m.test/foo' }, o2: { service: 'S', user: 'peter' } } },
  ],
  ['AGENT', '3.0', ['AGENT:BEGIN:VCARD\\nFN:B\\\\, C\\nEND:VCARD\\n'], kept(['agent', {}, 'text', 'BEGIN:VCARD\nFN:B\\, C\nEND:VCARD\n'])],
  [
    'AGENT of version 2.1',
    '2.1',
    ['AGENT:', 'BEGIN:VCARD', 'N:B\\;C', 'END:VCARD', 'NOTE:after'],
    { notes: { n1: { note: 'after' } }, ...kept(['agent', {}, 'text', 'BEGIN:VCARD\nN:B\\;C\nEND:VCARD']) },
  ],
  [
    'relations',
    '4.0',
    ['RELATED;TYPE=friend,met:urn:uuid:1', 'RELATED;VALUE=text;TYPE=agent:Ann, B'],
    { relatedTo: { 'urn:uuid:1': { relation: { friend: true, met: true } }, 'Ann, B': { relation: { agent: true } } } },
  ],
  ['a group', '3.0', ['X-ADDRESSBOOKSERVER-KIND:group', 'X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:1'], { kind: 'group', members: { 'urn:uuid:1': true } }],
  ['members without a group', '4.0', ['MEMBER:urn:uuid:1'], kept(['member', {}, 'uri', 'urn:uuid:1'])],
  [
    'interests and directories',
    '4.0',
    ['EXPERTISE;LEVEL=expert;INDEX=2:Go', 'HOBBY;LEVEL=low:chess', 'ORG-DIRECTORY:http://d.test', 'SOURCE:ldap://s.test', 'CONTACT-URI:mailto:c@d.test'],
    {
      personalInfo: { p1: { kind: 'expertise', value: 'Go', level: 'high', listAs: 2 }, p2: { kind: 'hobby', value: 'chess', level: 'low' } },
      directories: { d1: { kind: 'directory', uri: 'http://d.test' }, d2: { kind: 'entry', uri: 'ldap://s.test' } },
      links: { l1: { kind: 'contact', uri: 'mailto:c@d.test' } },
    },
  ],
  [
    'how to speak to a person',
    '4.0',
    ['GRAMGENDER:NEUTER', 'PRONOUNS;PREF=1;LANGUAGE=en:xe/xir', 'LANGUAGE:de', 'LANG;TYPE=work;PREF=2:fr'],
    {
      speakToAs: { grammaticalGender: 'neuter', pronouns: { p1: { pronouns: 'xe/xir', pref: 1, vCardParams: { language: 'en' } } } },
      language: 'de',
      preferredLanguages: { p1: { language: 'fr', contexts: { work: true }, pref: 2 } },
    },
  ],
  [
    'resources with their media type',
    '4.0',
    ['URL;MEDIATYPE=text/html;ALTID=1:http://u.test', 'CALURI;PREF=1:http://c.test', 'FBURL:http://f.test', 'CALADRURI:mailto:x@y.test'],
    {
      links: { l1: { uri: 'http://u.test', mediaType: 'text/html', vCardParams: { altid: '1' } } },
      calendars: { c1: { kind: 'calendar', uri: 'http://c.test', pref: 1 }, c2: { kind: 'freeBusy', uri: 'http://f.test' } },
      schedulingAddresses: { s1: { uri: 'mailto:x@y.test' } },
    },
  ],
  [
    'times',
    '4.0',
    ['REV:19951031T222710Z', 'CREATED:20200101T000000+0100', 'PRODID:-//x', 'UID:urn:uuid:1'],
    { updated: '1995-10-31T22:27:10Z', created: '2019-12-31T23:00:00Z', prodId: '-//x', uid: 'urn:uuid:1' },
  ],
  [
    'a second uid and revision',
    '3.0',
    ['UID:1', 'UID:2', 'REV:2020-01-01', 'REV:2021'],
    { uid: '1', updated: '2020-01-01T00:00:00Z', ...kept(['x-uid', {}, 'unknown', '2'], ['x-rev', {}, 'unknown', '2021']) },
  ],
  ['a revision of a day', '3.0', ['REV:1995-10-31'], { updated: '1995-10-31T00:00:00Z' }],
  [
    'other properties as they are',
    '3.0',
    ['X-FOO;X-P="a;b":raw\\,x;y\\n', 'X-BAR;VALUE=text:a\\,b', 'CLASS:PRIVATE', 'MAILER:M, 1'],
    kept(
      ['x-foo', { 'x-p': 'a;b' }, 'unknown', 'raw\\,x;y\\n'],
      ['x-bar', {}, 'text', 'a,b'],
      ['class', {}, 'text', 'PRIVATE'],
      ['mailer', {}, 'text', 'M, 1'],
    ),
  ],
  [
    'ids that are taken',
    '4.0',
    ['EMAIL;PROP-ID=e2:a@b.test', 'EMAIL:c@d.test', 'EMAIL;PROP-ID=e2:e@f.test'],
    { emails: { e2: { address: 'a@b.test' }, e3: { address: 'c@d.test' }, e4: { address: 'e@f.test' } } },
  ],
  [
    'properties of JSContact',
    '4.0',
    ['FN:A', 'JSPROP;JSPTR="name/isOrdered":true', 'JSPROP;JSPTR="test.example:x~1y":{"a"\\:[1\\,2]}'],
    { name: { full: 'A', isOrdered: true }, 'test.example:x/y': { a: [1, 2] } },
  ],
  [
    'JSPROP that sets nothing',
    '4.0',
    ['JSPROP;JSPTR=__proto__/x:1', 'JSPROP;JSPTR=uid:"x"', 'JSPROP;JSPTR=a:{', 'JSPROP:1'],
    kept(
      ['jsprop', { jsptr: '__proto__/x' }, 'text', '1'],
      ['jsprop', { jsptr: 'uid' }, 'text', '"x"'],
      ['jsprop', { jsptr: 'a' }, 'text', '{'],
      ['jsprop', {}, 'text', '1'],
    ),
  ],
  ['a date', '3.0', ['BDAY:1985-04-12'], date('birth', { year: 1985, month: 4, day: 12 })],
  ['a date in the basic form', '4.0', ['ANNIVERSARY:19850412'], date('wedding', { year: 1985, month: 4, day: 12 })],
  ['a date without a year', '4.0', ['DEATHDATE:--0412'], date('death', { month: 4, day: 12 })],
  ['a date without a year as Apple writes it', '3.0', ['BDAY;X-APPLE-OMIT-YEAR=1604:1604-02-29'], date('birth', { month: 2, day: 29 })],
  ['a year', '4.0', ['BDAY:1985'], date('birth', { year: 1985 })],
  ['a month', '4.0', ['BDAY:1985-04'], date('birth', { year: 1985, month: 4 })],
  ['a month without a year', '4.0', ['BDAY:--04'], date('birth', { month: 4 })],
  ['a date in another calendar', '4.0', ['BDAY;CALSCALE=chinese:19850412'], date('birth', { year: 1985, month: 4, day: 12, calendarScale: 'chinese' })],
  ['a date with midnight', '2.1', ['BDAY:1985-04-12T00:00:00'], date('birth', { year: 1985, month: 4, day: 12 })],
  [
    'a date with a time',
    '3.0',
    ['BDAY:1985-04-12T01:00:00+02:00'],
    { anniversaries: { a1: { kind: 'birth', date: { '@type': 'Timestamp', utc: '1985-04-11T23:00:00Z' } } } },
  ],
  ['a date with a local time', '4.0', ['BDAY:19850412T102200'], kept(['bday', {}, 'date-and-or-time', '1985-04-12T10:22:00'])],
  ['a day of any month', '4.0', ['BDAY:---12'], kept(['bday', {}, 'date-and-or-time', '---12'])],
  ['a time without a date', '4.0', ['BDAY:T102200'], kept(['bday', {}, 'date-and-or-time', 'T102200'])],
  ['a date in words', '4.0', ['BDAY;VALUE=text:circa 1800'], kept(['bday', {}, 'text', 'circa 1800'])],
  ['what is no date', '3.0', ['BDAY:1985-13-45'], kept(['bday', {}, 'text', '1985-13-45'])],
  ['an anniversary of version 3', '3.0', ['X-ANNIVERSARY:2001-02-03'], date('wedding', { year: 2001, month: 2, day: 3 })],
];

describe('a vCard', () => {
  test.each(cases)('with %s is read', (_, version, lines, card) => expect(read(version, ...lines)).toEqual(card));

  test.each(cases.flatMap(([title, ...rest]) => vCardVersions.map((target) => [title, target, rest] as const)))(
    'with %s says the same after it was written as version %s',
    (_, target, [version, lines]) => {
      const card = cardIn(vCard(version, lines));
      const { lines: written, leftOut } = vCardOfCard(card, target);
      expect(leftOut).toEqual([]);
      expect(cardIn(formatVCard(written, target))).toEqual(card);
    },
  );

  test('whose lines name the ids that come next is read, also with 80,000 of them', () => {
    const count = 40_000;
    const named = Array.from({ length: count }, (_, index) => `EMAIL;PROP-ID=e${count + 1 + index}:a@b.test`);
    const { emails } = read('4.0', ...named, ...Array.from({ length: count }, () => 'EMAIL:c@d.test')) as { readonly emails: object };
    expect([Object.keys(emails).length, Object.hasOwn(emails, `e${3 * count}`)]).toEqual([2 * count, true]);
  });
});
