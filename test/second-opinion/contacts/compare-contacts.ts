import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { vCardOfCard } from '../../../cli/export/vcard/vcard-of-card.ts';
import { formatVCard, vCardVersions, type VCardVersion } from '../../../cli/import/vcard/content-lines.ts';
import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { preparePythonEnvironment, pythonIn } from '../../../sandbox/emulator/python-environment.ts';
import { projectDirectory } from '../../../sandbox/state/state-directory.ts';
import { sampleCards } from './contact-samples.ts';

type Reading = { readonly [field: string]: unknown };

/** Differences that are faults of vobject, which knows version 3 only. */
export const contactDifferences: readonly { readonly version: VCardVersion; readonly fields: readonly string[]; readonly reason: string }[] = [
  { version: '4.0', fields: ['links', 'photos', 'uid'], reason: 'ends a URI at a comma, which version 4 does not escape (RFC 6350 §4.2)' },
];

const valuesOf = (value: unknown): readonly JsonObject[] => (isObject(value) ? Object.values(value).filter(isObject) : []);
const partsOf = (value: unknown, kinds: readonly string[]) =>
  kinds.map((kind) => ((value as readonly JsonObject[] | undefined) ?? []).filter((each) => each['kind'] === kind).map((each) => each['value']));
/** The order of Python. */
const byText = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
const typeNames = new Map(Object.entries({ mobile: 'cell', fax: 'fax', voice: 'voice', work: 'work' }));

/** What a reader must find in the vCard of a card. */
const expectedReading = (card: JsonObject, version: VCardVersion): Reading => {
  const name = card['name'] as JsonObject;
  const photo = valuesOf(card['media'])[0]?.['uri'] as string | undefined;
  return {
    full: [name['full']],
    names: [partsOf(name['components'], ['surname', 'given', 'given2', 'title', 'credential'])],
    emails: valuesOf(card['emails']).map(({ address }) => address),
    labels: valuesOf(card['emails']).map(({ label }) => label ?? null),
    phones: valuesOf(card['phones']).map(({ number }) => number),
    types: valuesOf(card['phones']).map(({ features, contexts }) =>
      Object.keys({ ...(features as object), ...(contexts as object) })
        .map((each) => typeNames.get(each) ?? each)
        .toSorted(byText),
    ),
    notes: valuesOf(card['notes']).map(({ note }) => note),
    links: valuesOf(card['links']).map(({ uri }) => uri),
    organizations: valuesOf(card['organizations']).map((each) => [
      each['name'],
      ...((each['units'] as readonly JsonObject[] | undefined) ?? []).map((unit) => unit['name']),
    ]),
    titles: valuesOf(card['titles']).map((each) => each['name']),
    addresses: valuesOf(card['addresses']).map((each) =>
      partsOf(each['components'], ['postOfficeBox', 'apartment', 'name', 'locality', 'region', 'postcode', 'country']),
    ),
    birthdays: card['anniversaries'] ? [version === '4.0' ? '19850412' : '1985-04-12'] : [],
    keywords: card['keywords'] ? [Object.keys(card['keywords']).toSorted(byText)] : [],
    photos: photo === undefined ? [] : [version === '4.0' ? photo : photo.slice(photo.indexOf(',') + 1)],
    kept: card['vCardProps'] ? [(card['vCardProps'] as readonly (readonly unknown[])[])[0]![3]] : [],
    uid: [card['uid']],
  };
};

/** What vobject reads of vCards. */
const vobjectReadings = async (vCards: readonly string[]): Promise<readonly Reading[]> => {
  const directory = join(projectDirectory, '.postrider', 'vobject');
  await preparePythonEnvironment({ directory, requirements: join(import.meta.dirname, 'requirements.lock') });
  const child = spawn(pythonIn(directory), [join(import.meta.dirname, 'python_vobject.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
  for (const vCard of vCards) child.stdin.write(`${Buffer.from(vCard).toString('base64')}\n`);
  child.stdin.end();
  const readings: Reading[] = [];
  for await (const line of createInterface(child.stdout)) readings.push(JSON.parse(line) as Reading);
  return readings;
};

type Result = { readonly compared: number; readonly known: number; readonly unknown: readonly string[] };

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Compares what vobject reads of our vCards with the cards of which they were written. */
export const compareContacts = async (count: number, seed: number): Promise<Result> => {
  const compared = sampleCards(count, seed).flatMap((card) =>
    vCardVersions.map((version) => ({
      version,
      expected: expectedReading(card, version),
      vCard: formatVCard(vCardOfCard({ '@type': 'Card', version: '1.0', ...card }, version).lines, version),
    })),
  );
  const readings = await vobjectReadings(compared.map(({ vCard }) => vCard));
  let known = 0;
  const unknown: string[] = [];
  for (const [index, { version, expected, vCard }] of compared.entries()) {
    const theirs = readings[index] ?? { error: 'no answer' };
    if (theirs['error'] !== undefined) unknown.push(`version ${version}: ${JSON.stringify(theirs['error'])}: ${JSON.stringify(vCard)}`);
    for (const field of theirs['error'] === undefined ? Object.keys(expected) : []) {
      if (isSame(expected[field], theirs[field])) continue;
      if (contactDifferences.some((each) => each.version === version && each.fields.includes(field))) known += 1;
      else unknown.push(`version ${version}: ${field}: ours ${JSON.stringify(expected[field])}, vobject ${JSON.stringify(theirs[field])}`);
    }
  }
  return { compared: compared.length, known, unknown };
};
