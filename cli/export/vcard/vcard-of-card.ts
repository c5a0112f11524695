import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { cardOfVCard } from '../../import/vcard/card-of-vcard.ts';
import { cleanText, isToken, type ContentLine, type VCardVersion } from '../../import/vcard/content-lines.ts';
import { jsonText, missingIn } from '../../import/vcard/js-property.ts';
import {
  addressKinds,
  anniversaryKinds,
  contextMaps,
  contextTypes,
  expertiseLevels,
  formOf,
  labeledMaps,
  nameKinds,
  objectParameters,
  phoneFeatures,
  plainAddressKinds,
  simpleProperties,
  userProperties,
  writtenName,
  writtenParameterName,
} from '../../import/vcard/vcard-properties.ts';
import { dateText, escapedText, escapedUri, isUri, omittedYear, timeStampText } from '../../import/vcard/vcard-values.ts';
import { binaryOf, binaryProperties, lineOfJCard } from './line-of-jcard.ts';

const inverse = (map: ReadonlyMap<string, string>) => new Map([...map].map(([name, value]) => [value, name]));
const typeOfContext = inverse(contextTypes);
const typeOfFeature = inverse(phoneFeatures);
const nameOfAnniversary = inverse(anniversaryKinds);
const nameOfLevel = inverse(expertiseLevels);

const entriesOf = (value: unknown): readonly (readonly [id: string, value: JsonObject])[] =>
  isObject(value) ? Object.entries(value).flatMap(([id, each]) => (isObject(each) ? [[id, each] as const] : [])) : [];
const objectsIn = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const keysOf = (value: unknown): readonly string[] => (isObject(value) ? Object.keys(value) : []);

/** The texts of a parameter in `vCardParams`. */
const parameterTexts = (value: unknown): readonly string[] => (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');

/** A vCard that is written line by line. */
class VCardWriter {
  readonly lines: ContentLine[] = [];
  readonly version: VCardVersion;
  readonly #groups: Set<string>;
  /** The label of each group that has one. */
  readonly #labels = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(version: VCardVersion, usedGroups: Iterable<string>) {
    this.version = version;
    this.#groups = new Set(usedGroups);
  }

  get is4(): boolean {
    return this.version === '4.0';
  }

  /** Adds a line with an escaped value. */
  add(name: string, value: string, parameters: Iterable<readonly [string, readonly string[]]> = [], group?: string): void {
    this.lines.push({
      name: writtenName(name, this.version),
      group,
      value,
      parameters: new Map([...parameters].map(([parameter, values]) => [writtenParameterName(parameter, this.version), values])),
    });
  }

  text(name: string, value: unknown): void {
    if (typeof value === 'string' && value !== '') this.add(name, escapedText(value));
  }

  /** Adds the line of an object in a map, with its id, contexts, preference, label and other parameters. */
  object(name: string, value: string, map: string, [id, each]: readonly [string, JsonObject], own: Iterable<readonly [string, readonly string[]]> = []): void {
    const parameters = new Map(own);
    const number = (this.#counts.get(map) ?? 0) + 1;
    this.#counts.set(map, number);
    if (this.is4 || id !== `${map[0]}${number}`) parameters.set('prop-id', [id]);
    const types = [...(parameters.get('type') ?? [])];
    if (contextMaps.has(map)) types.push(...keysOf(each['contexts']).flatMap((context) => typeOfContext.get(context) ?? []));
    const { pref } = each;
    if (typeof pref === 'number' && contextMaps.has(map)) {
      if (this.is4 || pref !== 1) parameters.set('pref', [String(pref)]);
      else types.push('pref');
    }
    for (const [parameter, property] of objectParameters.get(map) ?? []) {
      const given = each[property];
      if (typeof given === 'string' && given !== '' && !parameters.has(parameter)) parameters.set(parameter, [given]);
    }
    const others = new Map(Object.entries(isObject(each['vCardParams']) ? each['vCardParams'] : {}));
    types.push(...parameterTexts(others.get('type')).filter((type) => !types.includes(type)));
    const given = textOf(others.get('group'));
    for (const [parameter, values] of others) {
      const texts = parameterTexts(values);
      if (isToken(parameter) && texts.length > 0 && !/^(?:type|group|value|encoding|charset)$/.test(parameter) && !parameters.has(parameter))
        parameters.set(parameter, texts);
    }
    parameters.delete('type');
    if (types.length > 0) parameters.set('type', types);
    for (const [parameter, values] of parameters) if (values.length === 0) parameters.delete(parameter);
    const label = labeledMaps.has(map) ? textOf(each['label']) : '';
    const group = label === '' ? given : this.#groupOf(label, given);
    this.add(name, value, parameters, isToken(group) ? group : undefined);
  }

  /** The labels of the groups, as Apple writes them. */
  addLabels(): void {
    for (const [group, label] of this.#labels) this.add('x-ablabel', escapedText(label), [], group);
  }

  /** The group whose label is this one. A group of its own has the next free name. */
  #groupOf(label: string, given: string): string {
    let group = given;
    if (!isToken(given) || (this.#labels.get(given) ?? label) !== label) {
      let number = this.#labels.size + 1;
      while (this.#groups.has(`item${number}`)) number += 1;
      group = `item${number}`;
    }
    this.#groups.add(group);
    this.#labels.set(group, label);
    return group;
  }
}

/** A structured value: the escaped texts of each kind. */
const structured = (parts: readonly JsonObject[], kinds: readonly string[]): readonly string[] =>
  kinds.map((kind) =>
    parts
      .filter((each) => each['kind'] === kind)
      .map((each) => escapedText(textOf(each['value'])))
      .join(','),
  );

/** The kinds of name components in the order in which a name without an order is read. */
const spokenKinds = ['title', 'given', 'given2', 'surname', 'surname2', 'generation', 'credential'];

/** The full name that a vCard must have, and whether the Card has it. */
const fullName = ({ name, nicknames, emails, organizations, phones }: JsonObject): { readonly text: string; readonly isDerived: boolean } => {
  const { full, components, isOrdered } = isObject(name) ? name : {};
  if (typeof full === 'string' && full !== '') return { text: full, isDerived: false };
  const first = (map: unknown, key: string): string => textOf(entriesOf(map)[0]?.[1][key]);
  const parts = objectsIn(components);
  const spoken = isOrdered === true ? parts : spokenKinds.flatMap((kind) => parts.filter((each) => each['kind'] === kind));
  const text =
    spoken
      .map((each) => textOf(each['value']))
      .join(' ')
      .trim() ||
    first(organizations, 'name') ||
    first(nicknames, 'name') ||
    first(emails, 'address') ||
    first(phones, 'number');
  return { text, isDerived: true };
};

/** The kinds that take the place of those that vCard 3 does not have. */
const plainKinds = new Map([
  ['surname2', 'surname'],
  ['generation', 'credential'],
]);

const writeName = (writer: VCardWriter, card: JsonObject): void => {
  const name = isObject(card['name']) ? card['name'] : {};
  const { text, isDerived } = fullName(card);
  const parts = objectsIn(name['components']);
  const sortAs = isObject(name['sortAs']) ? name['sortAs'] : {};
  const sorted = nameKinds.map((kind) => textOf(sortAs[kind]));
  const others = Object.entries(isObject(name['vCardParams']) ? name['vCardParams'] : {})
    .filter(([key]) => isToken(key) && !/^(?:group|value|encoding)$/.test(key))
    .map(([key, value]) => [key, parameterTexts(value)] as const)
    .filter(([, texts]) => texts.length > 0);
  const hasN = parts.length > 0 || !writer.is4;
  const given = textOf(isObject(name['vCardParams']) ? name['vCardParams']['group'] : undefined);
  const group = isToken(given) ? given : undefined;
  writer.add(
    'fn',
    escapedText(text),
    isDerived ? [['derived', ['TRUE']]] : hasN && parts.length > 0 ? [] : others,
    hasN && parts.length > 0 ? undefined : group,
  );
  if (!hasN) return;
  const isPlain = !writer.is4 || !parts.some((each) => each['kind'] === 'surname2' || each['kind'] === 'generation');
  const isSortString = !writer.is4 && sorted.slice(1).every((each) => each === '') && !sorted[0]!.includes(',');
  const plainParts = parts.map((each) => ({ ...each, kind: plainKinds.get(textOf(each['kind'])) ?? each['kind'] }));
  const names = writer.is4 && !isPlain ? structured(parts, nameKinds) : structured(plainParts, nameKinds.slice(0, 5));
  writer.add(
    'n',
    names.join(';'),
    [
      ...(!isSortString && sorted.some(Boolean) ? [['sort-as', [sorted.join(',').replace(/(?<!,),+$/, '')]] as const] : []),
      ...(parts.length > 0 ? others : []),
    ],
    parts.length > 0 ? group : undefined,
  );
  if (isSortString && sorted[0]) writer.text('sort-string', sorted[0]);
};

const writeAddress = (writer: VCardWriter, entry: readonly [string, JsonObject]): void => {
  const [, each] = entry;
  const parts = objectsIn(each['components']);
  const hasMore = parts.some(({ kind }) => addressKinds.slice(plainAddressKinds).some((each) => each === kind) && kind !== 'apartment' && kind !== 'name');
  const full = textOf(each['full']);
  const contexts = keysOf(each['contexts']).flatMap((context) => typeOfContext.get(context) ?? []);
  if (!writer.is4 && full !== '' && Object.keys(each).every((key) => /^(?:@type|full|contexts)$/.test(key))) {
    return writer.object('label', escapedText(full), 'addresses', entry, [['label', []]]);
  }
  const values = [...structured(parts, addressKinds)];
  if (hasMore) {
    const joined = (...kinds: readonly string[]): string =>
      parts
        .filter(({ kind }) => kinds.includes(String(kind)))
        .map(({ value }) => escapedText(textOf(value)))
        .join(' ');
    // Programs that know seven components find the others in these two (RFC 9554 §2.1).
    values[1] = joined('room', 'apartment', 'floor');
    values[2] = joined('number', 'name', 'building', 'block', 'landmark', 'direction');
  }
  writer.object(
    'adr',
    values.slice(0, writer.is4 && hasMore ? Infinity : plainAddressKinds).join(';'),
    'addresses',
    entry,
    writer.is4 && full !== '' ? [['label', [full.replaceAll('\\', '\\\\')]]] : [['label', []]],
  );
  const group = textOf(isObject(each['vCardParams']) ? each['vCardParams']['group'] : undefined);
  if (!writer.is4 && full !== '') {
    writer.add('label', escapedText(full), contexts.length > 0 ? [['type', contexts]] : [], isToken(group) ? group : undefined);
  }
  return undefined;
};

/** Writes an object whose property has one value. vCard 3 has content in base64 instead of `data:` URIs. */
const writeSimple = (writer: VCardWriter, name: string, map: string, key: string, entry: readonly [string, JsonObject]): void => {
  const [, each] = entry;
  const value = cleanText(textOf(each[key]));
  const own: (readonly [string, readonly string[]])[] = [];
  if (map === 'phones') own.push(['type', keysOf(each['features']).flatMap((feature) => typeOfFeature.get(feature) ?? [])]);
  if (map === 'notes') {
    const author = isObject(each['author']) ? each['author'] : {};
    const created = timeStampText(each['created'], '4.0');
    own.push(['created', created === undefined ? [] : [created]]);
    own.push(['author', [textOf(author['uri'])].filter(Boolean)], ['author-name', [textOf(author['name'])].filter(Boolean)]);
  }
  if (typeof each['level'] === 'string' && map === 'personalInfo') {
    own.push(['level', [each['kind'] === 'expertise' ? (nameOfLevel.get(each['level']) ?? each['level']) : each['level']]]);
  }
  if (typeof each['listAs'] === 'number' && (map === 'personalInfo' || map === 'directories')) own.push(['index', [String(each['listAs'])]]);
  if (formOf(name) !== 'uri') {
    const isPhoneUri = map === 'phones' && writer.is4 && /^(?:tel|sip|sips):/i.test(value);
    if (isPhoneUri) own.push(['value', ['uri']]);
    return writer.object(name, isPhoneUri ? escapedUri(value, writer.version) : escapedText(value), map, entry, own);
  }
  const binary = writer.is4 ? undefined : binaryOf(name, value);
  if (binary) return writer.object(name, binary.content, map, entry, [...own, ['encoding', ['b']], ['type', [binary.type]], ['mediatype', []]]);
  if (!isUri(value) || (!writer.is4 && binaryProperties.has(name))) own.push(['value', ['uri']]);
  return writer.object(name, escapedUri(value, writer.version), map, entry, /^data:/i.test(value) ? [...own, ['mediatype', []]] : own);
};

const writeOnlineService = (writer: VCardWriter, entry: readonly [string, JsonObject]): void => {
  const [, each] = entry;
  const [uri, user, given] = [textOf(each['uri']), textOf(each['user']), textOf(each['vCardName']).toLowerCase()];
  if (userProperties.has(given) && uri === '' && userProperties.get(given) === each['service']) {
    return writer.object(given, escapedText(user), 'onlineServices', entry, [
      ['service-type', []],
      ['username', []],
    ]);
  }
  if (uri === '')
    return writer.object('socialprofile', escapedText(user), 'onlineServices', entry, [
      ['username', []],
      ['value', ['text']],
    ]);
  const isProfile = given === 'socialprofile' || (given !== 'impp' && (user !== '' || /^https?:/i.test(uri)));
  return writer.object(isProfile ? 'socialprofile' : 'impp', escapedUri(uri, writer.version), 'onlineServices', entry);
};

const writeAnniversary = (writer: VCardWriter, entry: readonly [string, JsonObject]): void => {
  const date = isObject(entry[1]['date']) ? entry[1]['date'] : {};
  const name = nameOfAnniversary.get(textOf(entry[1]['kind']));
  const written = dateText(date, writer.version);
  if (name === undefined || !written) return;
  const scale = textOf(date['calendarScale']);
  writer.object(!writer.is4 && written.isLoose && name === 'bday' ? 'x-bday' : name, written.text, 'anniversaries', entry, [
    ...(written.isYearOmitted ? [['x-apple-omit-year', [String(omittedYear)]] as const] : []),
    ...(scale === '' ? [] : [['calscale', [scale]] as const]),
    ...(!writer.is4 && date['utc'] !== undefined ? [['value', ['date-time']] as const] : []),
  ]);
};

const writeOrganization = (writer: VCardWriter, entry: readonly [string, JsonObject]): void => {
  const [, each] = entry;
  const units = objectsIn(each['units']);
  const sorted = [each, ...units]
    .map(({ sortAs }) => textOf(sortAs))
    .join(',')
    .replace(/(?<!,),+$/, '');
  writer.object(
    'org',
    [each, ...units].map(({ name }) => escapedText(textOf(name))).join(';'),
    'organizations',
    entry,
    sorted === '' ? [] : [['sort-as', [sorted]]],
  );
};

const writeRelation = (writer: VCardWriter, [key, relation]: readonly [string, JsonObject]): void => {
  const types = keysOf(relation['relation']);
  const others = Object.entries(isObject(relation['vCardParams']) ? relation['vCardParams'] : {})
    .map(([name, value]) => [name, parameterTexts(value)] as const)
    .filter(([name, texts]) => isToken(name) && texts.length > 0 && !/^(?:type|group|value)$/.test(name));
  const text = cleanText(key);
  writer.add('related', isUri(text) ? escapedUri(text, writer.version) : escapedText(text), [
    ...(types.length > 0 ? [['type', types] as const] : []),
    ...(isUri(text) ? [] : [['value', ['text']] as const]),
    ...others,
  ]);
};

const groupsIn = (card: JsonObject): readonly string[] =>
  Object.values(card)
    .flatMap((value) => [
      ...entriesOf(value).map(([, each]) => each['vCardParams']),
      ...(isObject(value) ? [value['vCardParams']] : []),
      ...(Array.isArray(value) ? value.map((each: unknown) => (Array.isArray(each) ? (each[1] as unknown) : undefined)) : []),
    ])
    .flatMap((parameters) => (isObject(parameters) && typeof parameters['group'] === 'string' ? [parameters['group']] : []));

/** A vCard, and what the Card has that no vCard can have. */
type WrittenVCard = { readonly lines: readonly ContentLine[]; readonly leftOut: readonly string[] };

/**
 * The vCard of a JSContact Card (RFC 9555). `media` must have URIs instead of blob ids. What vCard has no property for
 * is written as JSPROP, so that nothing is lost when the vCard is imported again.
 */
export const vCardOfCard = (card: JsonObject, version: VCardVersion): WrittenVCard => {
  const writer = new VCardWriter(version, groupsIn(card));
  writeName(writer, card);
  const uid = textOf(card['uid']);
  if (writer.is4 && isUri(uid)) writer.add('uid', escapedUri(uid, version));
  else if (uid !== '') writer.add('uid', escapedText(uid), writer.is4 ? [['value', ['text']]] : []);
  for (const name of ['prodId', 'kind', 'language']) writer.text(name.toLowerCase(), card[name]);
  for (const member of keysOf(card['members'])) writer.add('member', escapedUri(member, version));
  for (const [name, property] of [
    ['rev', 'updated'],
    ['created', 'created'],
  ] as const) {
    const time = timeStampText(card[property], version);
    if (time !== undefined) writer.add(name, time);
  }
  for (const entry of entriesOf(card['organizations'])) writeOrganization(writer, entry);
  for (const entry of entriesOf(card['addresses'])) writeAddress(writer, entry);
  for (const entry of entriesOf(card['onlineServices'])) writeOnlineService(writer, entry);
  for (const entry of entriesOf(card['anniversaries'])) writeAnniversary(writer, entry);
  for (const entry of entriesOf(card['relatedTo'])) writeRelation(writer, entry);
  for (const map of new Set([...simpleProperties.values()].map((each) => each.map))) {
    const properties = [...simpleProperties].filter(([, each]) => each.map === map);
    for (const entry of entriesOf(card[map])) {
      const [name, { key = '' } = {}] =
        properties.find(([, { kind }]) => kind === entry[1]['kind']) ??
        properties.find(([, { kind }]) => kind === undefined || (map === 'titles' && entry[1]['kind'] === undefined)) ??
        [];
      if (name !== undefined && textOf(entry[1][key]) !== '') writeSimple(writer, name, map, key, entry);
    }
  }
  const speakToAs = isObject(card['speakToAs']) ? card['speakToAs'] : {};
  writer.text('gramgender', speakToAs['grammaticalGender']);
  for (const entry of entriesOf(speakToAs['pronouns'])) writer.object('pronouns', escapedText(textOf(entry[1]['pronouns'])), 'pronouns', entry);
  const keywords = keysOf(card['keywords']).filter((each) => each !== '' && each === each.trim());
  if (keywords.length > 0) writer.add('categories', keywords.map((each) => escapedText(each)).join(','));
  writer.addLabels();
  const given = card['vCardProps'];
  const kept = (Array.isArray(given) ? given : given === undefined ? [] : [given]).map((each: unknown) => ({ each, line: lineOfJCard(each, version) }));
  writer.lines.push(...kept.flatMap(({ line }) => line ?? []));
  for (const [pointer, value] of missingIn(cardOfVCard(writer.lines), card)) {
    writer.add('jsprop', escapedText(jsonText(value)), [['jsptr', [pointer]]]);
  }
  return { lines: writer.lines, leftOut: kept.filter(({ line }) => !line).map(({ each }) => JSON.stringify(each).slice(0, 100)) };
};
