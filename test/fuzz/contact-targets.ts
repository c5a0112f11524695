import assert from 'node:assert/strict';
import { vCardOfCard } from '../../cli/export/vcard/vcard-of-card.ts';
import { cardOfVCard } from '../../cli/import/vcard/card-of-vcard.ts';
import { formatVCard, parseVCard, UnreadableVCard, vCardVersions } from '../../cli/import/vcard/content-lines.ts';
import { vCardsIn } from '../../cli/import/vcard/vcard-file.ts';
import { jsContactProblems } from '../../lambdas/jmap/contact-card/js-contact-rules.ts';
import { fuzzTarget, type FuzzTarget } from './fuzz-target.ts';
import { mutatedBytes } from './mutated-bytes.ts';

const vCard = (version: string, ...lines: readonly string[]): string => ['BEGIN:VCARD', `VERSION:${version}`, ...lines, 'END:VCARD', ''].join('\r\n');
const vCards = [
  vCard(
    '2.1',
    'N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;J=F6rg',
    'NOTE;QUOTED-PRINTABLE:a=0D=0A=',
    'b',
    'TEL;HOME;PREF:1',
    'PHOTO;JPEG;BASE64:',
    ' /9j/',
    '',
    'AGENT:',
    'BEGIN:VCARD',
    'N:A',
    'END:VCARD',
    'LABEL;WORK:x',
    'GEO:1,2',
    'TZ:-0500',
    'BDAY:19800501',
  ),
  vCard(
    '3.0',
    'FN:Ada',
    'N:L;A;B,C;D;',
    'item1.EMAIL;type=pref:a@b',
    'item1.X-ABLabel:Desk',
    'ADR;TYPE=HOME:;;1 St, 2;T;;1;',
    'LABEL;TYPE=HOME:1 St\\nT',
    'ORG:A, B;C',
    'NOTE:a\\n\\;\\,\\:b',
    'BDAY;X-APPLE-OMIT-YEAR=1604:1604-02-29',
    'IMPP;X-SERVICE-TYPE=AIM:aim:x',
    'KEY;ENCODING=b;TYPE=PGP:AAAA',
    'TZ:Europe/Berlin',
    'GEO:1;2',
    'AGENT:BEGIN:VCARD\\nEND:VCARD',
    'X-ADDRESSBOOKSERVER-KIND:group',
    'X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:1',
    'REV:2020-01-02T03:04:05Z',
    'CATEGORIES:a,b',
    'SORT-STRING:L',
  ),
  vCard(
    '4.0',
    'FN;LANGUAGE=en:Ada',
    'N;SORT-AS="L,A";ALTID=1:L;A;;;;S;II',
    'ADR;LABEL="a^nb";GEO="geo:1,2";TZ=x;CC=DE:;;a;;;;;r;;;1;s',
    'GENDER:O;x',
    'ANNIVERSARY:--0412',
    'RELATED;TYPE=friend:urn:uuid:1',
    'TEL;VALUE=uri;PREF=1;TYPE="voice,home":tel:+1;ext=2',
    'SOCIALPROFILE;USERNAME=a;SERVICE-TYPE=b:http://x',
    'NOTE;CREATED=20200101T000000Z;AUTHOR="x:y":n',
    'PRONOUNS:they',
    'GRAMGENDER:neuter',
    'EXPERTISE;LEVEL=expert;INDEX=1:x',
    'CLIENTPIDMAP:1;urn:uuid:2',
    'MEMBER:urn:uuid:3',
    'PHOTO:data:image/png;base64,AAAA',
    'TZ;VALUE=utc-offset:-0500',
  ),
];
const pieces = [
  'BEGIN:VCARD\r\n',
  'END:VCARD\r\n',
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '=',
  '\\',
  '"',
  '^',
  '^n',
  '\\n',
  '\\,',
  '\0',
  '\u2028',
  '\u0085',
  '\uFEFF',
  'é',
  '=0A',
  '=\r\n',
  '__proto__',
  'AGENT:\r\n',
  'AGENT:BEGIN:VCARD\r\n',
  'item1.',
  'X-ABLabel:',
  'X-',
  ';TYPE=',
  ';VALUE=text',
  ';VALUE=uri',
  ';ENCODING=b',
  ';ENCODING=QUOTED-PRINTABLE',
  ';CHARSET=utf-16',
  ';PROP-ID=e1',
  ';PREF=1',
  ';ALTID=1',
  ';LABEL=',
  'VERSION:2.1\r\n',
  'JSPROP;JSPTR=',
  '{"a":[1]}',
  'data:a/b;base64,',
  'geo:',
  'BDAY:',
  'REV:',
  'N:',
  'LABEL:',
  'MEMBER:',
  'EMAIL:x\r\n',
  '1604',
  '--',
  'T000000Z',
];

const ofJsContact = vCard('4.0', 'FN:Ada', 'EMAIL:x', 'JSPROP;JSPTR=emails/e1/address:"y"', 'JSPROP;JSPTR="test.example:a~1b":[{"c"\\:null}]');

/** Checks that each card is one that the server accepts, and that it is the same after it was written and read again. */
const checkCards = (file: Buffer): void => {
  for (const found of vCardsIn(file)) {
    let card;
    try {
      card = cardOfVCard(parseVCard(found));
    } catch (error) {
      if (!(error instanceof UnreadableVCard)) throw error;
      continue;
    }
    // JSPROP may set what the server refuses.
    if (!file.toString('latin1').toUpperCase().includes('JSPROP')) assert.deepEqual(jsContactProblems(card), []);
    for (const version of vCardVersions) {
      const { lines, leftOut } = vCardOfCard(card, version);
      assert.deepEqual(leftOut, []);
      const text = formatVCard(lines, version);
      const again = vCardsIn(Buffer.from(text));
      assert.equal(again.length, 1, 'one card is written as one');
      assert.deepEqual(cardOfVCard(parseVCard(again[0]!)), card);
    }
  }
};

/** Targets that read and write contacts. */
export const contactTargets: readonly FuzzTarget[] = [fuzzTarget('vcard', () => mutatedBytes([...vCards, ofJsContact], pieces), checkCards, { inputs: 300 })];
