import * as fc from 'fast-check';
import { vCardOfCard } from '../../../../cli/export/vcard/vcard-of-card.ts';
import { cardOfVCard } from '../../../../cli/import/vcard/card-of-vcard.ts';
import { loadVCardFormat, vCardTextsIn, type VCardFormat, type VCardVersion } from '../../../../cli/import/vcard/vcard-lines.ts';
import { assertProperty } from '../../../support/assert-property.ts';
import type { JsonObject } from '../../../../contract/jmap/data-type.ts';

let vCards: VCardFormat;
beforeAll(async () => { vCards = await loadVCardFormat(); });

const vCard = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD'].join('\r\n');
const read = (...lines: string[]): JsonObject => cardOfVCard(vCards.parse(vCard(...lines)));
const roundTrip = (card: JsonObject, version: VCardVersion): JsonObject => cardOfVCard(vCards.parse(vCards.format(vCardOfCard(card, version)).trimEnd()));

/** Texts that vCards must escape or fold, without white space at their ends and control characters. */
const text = fc.stringMatching(/^[a-zé😀,;:\\"'=^]{1,30}$/u);
/** A part of a structured value. ical.js misreads a backslash at the end of a part (2.2.1). */
const part = text.filter((each) => !each.endsWith('\\'));
const id = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const map = (value: fc.Arbitrary<object>) => fc.dictionary(id, value, { minKeys: 1, maxKeys: 3 });
const contexts = fc.constantFrom({}, { contexts: { work: true } }, { contexts: { private: true } });
const pref = fc.constantFrom({}, { pref: 1 });
const withCommon = (value: fc.Arbitrary<object>) => fc.tuple(value, contexts, pref).map((parts) => Object.assign({}, ...parts) as object);
const cards = fc.record({
  '@type': fc.constant('Card'), version: fc.constant('1.0'), uid: text,
  name: fc.record({ full: text, components: fc.tuple(part, part).map(([surname, given]) => [
    { kind: 'surname', value: surname }, { kind: 'given', value: given },
  ]) }),
  emails: map(withCommon(text.map((address) => ({ address })))),
  phones: map(withCommon(fc.constantFrom({ number: '+44 20 555' }, { number: '1', features: { mobile: true } }))),
  organizations: map(fc.tuple(part, part).map(([name, unit]) => ({ name, units: [{ name: unit }] }))),
  titles: map(text.map((name) => ({ kind: 'title', name }))),
  notes: map(text.map((note) => ({ note }))),
  addresses: map(withCommon(fc.tuple(part, part).map(([street, town]) => ({ components: [{ kind: 'name', value: street }, { kind: 'locality', value: town }] })))),
  anniversaries: map(fc.constantFrom({ kind: 'birth', date: { '@type': 'PartialDate', year: 1985, month: 4, day: 12 } })),
  keywords: fc.uniqueArray(part, { minLength: 1, maxLength: 3 }).map((names) => Object.fromEntries(names.map((name) => [name, true]))),
}, { requiredKeys: ['@type', 'version', 'uid', 'name'] });

/** A card whose maps have no ids, because vCard 3 has none. */
const withoutIds = (card: JsonObject): JsonObject => Object.fromEntries(Object.entries(card).map(([name, value]) =>
  [name, name !== 'name' && name !== 'keywords' && typeof value === 'object' ? Object.values(value as object) : value]));

describe('vCards', () => {
  test('of version 4 keep what JSContact and vCard both have', () => {
    assertProperty(fc.property(cards, (card) => {
      expect(roundTrip(card, '4.0')).toEqual(card);
    }));
  });

  test('of version 3 keep it too, apart from ids', () => {
    assertProperty(fc.property(cards, (card) => {
      expect(withoutIds(roundTrip(card, '3.0'))).toEqual(withoutIds(card));
    }));
  });

  test('of version 3 are read with grouped lines, types, photos and folded lines', () => {
    expect(read(
      'VERSION:3.0', 'FN:Ada Lovelace', 'N:Lovelace;Ada;Augusta,King;Countess;', 'ORG:Acme;Engines', 'TITLE:Author',
      'TEL;TYPE=CELL,VOICE;TYPE=pref:+1 2', 'item1.EMAIL;TYPE=INTERNET,HOME:ada@exam', ' ple.org', 'item1.X-ABLabel:Desk', 'BDAY:1815-12-10',
      'ADR;TYPE=WORK:;;12 Square;London;;SW1;UK', 'PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ', 'REV:2020-01-02T03:04:05Z', 'CATEGORIES:x,y',
    )).toEqual({
      '@type': 'Card', version: '1.0',
      name: { full: 'Ada Lovelace', components: [
        { kind: 'surname', value: 'Lovelace' }, { kind: 'given', value: 'Ada' }, { kind: 'given2', value: 'Augusta' }, { kind: 'given2', value: 'King' },
        { kind: 'title', value: 'Countess' },
      ] },
      organizations: { o1: { name: 'Acme', units: [{ name: 'Engines' }] } }, titles: { t1: { kind: 'title', name: 'Author' } },
      phones: { p1: { number: '+1 2', features: { mobile: true, voice: true }, pref: 1 } },
      emails: { e1: { address: 'ada@example.org', contexts: { private: true } } },
      anniversaries: { a1: { kind: 'birth', date: { '@type': 'PartialDate', year: 1815, month: 12, day: 10 } } },
      addresses: { a1: { contexts: { work: true }, components: [
        { kind: 'name', value: '12 Square' }, { kind: 'locality', value: 'London' }, { kind: 'postcode', value: 'SW1' }, { kind: 'country', value: 'UK' },
      ] } },
      media: { m1: { kind: 'photo', uri: 'data:image/jpeg;base64,/9j/4AAQ' } }, updated: '2020-01-02T03:04:05Z', keywords: { x: true, y: true },
      vCardProps: [['x-ablabel', { group: 'item1' }, 'unknown', 'Desk']],
    });
  });

  test('of version 4 are read with partial dates, groups and phones as URIs', () => {
    expect(read('VERSION:4.0', 'FN:Team', 'KIND:group', 'MEMBER:urn:uuid:1', 'TEL;VALUE=uri;TYPE="work,voice":tel:+1-555', 'BDAY:--0412')).toEqual({
      '@type': 'Card', version: '1.0', name: { full: 'Team' }, kind: 'group', members: { 'urn:uuid:1': true },
      phones: { p1: { number: '+1-555', features: { voice: true }, contexts: { work: true } } },
      anniversaries: { a1: { kind: 'birth', date: { '@type': 'PartialDate', month: 4, day: 12 } } },
    });
  });

  test('with a photo are written as base64 in version 3', () => {
    const card = { '@type': 'Card', version: '1.0', name: { full: 'A' }, media: { m1: { kind: 'photo', uri: 'data:image/png;base64,AAAA' } } };
    expect(vCards.format(vCardOfCard(card, '3.0'))).toContain('PHOTO;ENCODING=b;TYPE=PNG:AAAA');
    expect(roundTrip(card, '3.0')).toEqual(card);
  });

  test('are found in a text with several of them, and lines in between are ignored', () => {
    const [one, two] = [vCard('VERSION:4.0', 'FN:A'), vCard('VERSION:3.0', 'FN:B')];
    expect(vCardTextsIn(`\uFEFFx\n${one}\r\n\r\nnoise\n${two}`)).toEqual([one, two]);
    expect(() => vCards.parse(vCard('VERSION:4.0', 'no colon'))).toThrow();
  });
});
