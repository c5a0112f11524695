import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { CardBuilder, setOf } from './card-builder.ts';
import type { ContentLine } from './content-lines.ts';
import { Parameters, uriOf } from './jcard-of-line.ts';
import { setJsProperty } from './js-property.ts';
import {
  addressKinds,
  anniversaryKinds,
  contextTypes,
  expertiseLevels,
  formOf,
  nameKinds,
  phoneFeatures,
  readName,
  simpleProperties,
  userProperties,
} from './vcard-properties.ts';
import { componentValues, dateOf, isUri, listValues, omittedYear, textValue, textValues, utcOf } from './vcard-values.ts';

/** Reads a property into the Card. @returns whether JSContact has a place for it. */
type Reader = (builder: CardBuilder, line: ContentLine, parameters: Parameters) => boolean;

/** The parameters of a property that has no object of its own. */
const plainParameters = (parameters: Parameters): JsonObject => {
  for (const name of ['value', 'prop-id', 'derived']) parameters.take(name);
  const left = parameters.left();
  return Object.keys(left).length > 0 ? { vCardParams: left } : {};
};

const objectOf = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);

const placeOf = (kind: unknown): number => addressKinds.findIndex((each) => each === kind);

/** Adds to the name, of which FN and N are parts. */
const addToName = (builder: CardBuilder, part: string, value: JsonObject): boolean => {
  const name = objectOf(builder.get('name')) ?? {};
  if (Object.hasOwn(name, part)) return false;
  const params = { ...objectOf(name['vCardParams']), ...objectOf(value['vCardParams']) };
  builder.set('name', { ...name, ...value, ...(Object.keys(params).length > 0 && { vCardParams: params }) });
  return true;
};

const components = (values: readonly (readonly string[])[], kinds: readonly string[]): readonly { readonly kind: string; readonly value: string }[] =>
  values.flatMap((texts, index) => texts.filter((text) => text !== '').map((value) => ({ kind: kinds[index] ?? kinds.at(-1)!, value })));

/** The components of ADR. Its first components repeat those that RFC 9554 §2.1 added. */
const addressComponents = (values: readonly (readonly string[])[]): readonly JsonObject[] => {
  const isFilled = (...indexes: readonly number[]) => indexes.some((index) => values[index]?.some((text) => text !== '') === true);
  return components(
    values.map((texts, index) => ((index === 1 && isFilled(7, 8, 9)) || (index === 2 && isFilled(10, 11, 12, 13, 16, 17)) ? [] : texts)),
    addressKinds,
  ).toSorted((one, other) => placeOf(one.kind) - placeOf(other.kind));
};

const sortNames = (text: string | undefined): JsonObject => {
  const sortAs = (text ?? '').split(',').flatMap((each, index) => (each !== '' && nameKinds[index] ? [[nameKinds[index], each]] : []));
  return sortAs.length > 0 ? { sortAs: Object.fromEntries(sortAs) } : {};
};

const onlineService =
  (service: string): Reader =>
  (builder, line, parameters) => {
    if (line.value !== '') builder.add('onlineServices', { service, user: textValue(line), vCardName: line.name }, parameters);
    return true;
  };

const date: Reader = (builder, line, parameters) => {
  const value = parameters.get('value')?.toLowerCase() === 'text' ? undefined : dateOf(textValue(line));
  if (!value) return false;
  const omitted = Number(parameters.take('x-apple-omit-year') ?? (value['year'] === omittedYear ? omittedYear : Number.NaN));
  const { year, ...rest } = value;
  const scale = parameters.take('calscale');
  builder.add(
    'anniversaries',
    {
      kind: anniversaryKinds.get(line.name)!,
      date: { ...(year === omitted ? rest : value), ...(scale !== undefined && value['utc'] === undefined && { calendarScale: scale }) },
    },
    parameters,
  );
  return true;
};

/** A text that a Card has once. Of several lines the first with a text counts. */
const once =
  (name: string, of: (text: string) => string | undefined = (text) => text): Reader =>
  (builder, line, parameters) => {
    if (line.value.trim() === '') return true;
    const value = of(textValue(line).trim());
    return value !== undefined && Object.keys(plainParameters(parameters)).length === 0 && builder.setOnce(name, value);
  };

const speakToAs = (builder: CardBuilder, value: JsonObject): void => builder.set('speakToAs', { ...objectOf(builder.get('speakToAs')), ...value });

const readers: ReadonlyMap<string, Reader> = new Map(
  Object.entries<Reader>({
    version: () => true,
    fn(builder, line, parameters) {
      const isDerived = parameters.take('derived')?.toLowerCase() === 'true';
      return isDerived || line.value === '' || addToName(builder, 'full', { full: textValue(line), ...plainParameters(parameters) });
    },
    n(builder, line, parameters) {
      const parts = components(listValues(line), nameKinds);
      const sortAs = sortNames(parameters.take('sort-as'));
      if (parts.length === 0 && Object.keys(sortAs).length === 0) return true;
      return addToName(builder, 'components', { components: parts, ...sortAs, ...plainParameters(parameters) });
    },
    'sort-string': (builder, line) => line.value === '' || addToName(builder, 'sortAs', { sortAs: { surname: textValue(line) } }),
    nickname(builder, line) {
      for (const name of textValues(line).filter((each) => each !== '')) builder.add('nicknames', { name }, new Parameters(line));
      return true;
    },
    org(builder, line, parameters) {
      const [name = '', ...units] = componentValues(line);
      const [sortAs = '', ...unitsSortAs] = (parameters.take('sort-as') ?? '').split(',');
      const named = units.map((unit, index) => ({ name: unit, ...(unitsSortAs[index] && { sortAs: unitsSortAs[index] }) })).filter((unit) => unit.name !== '');
      if (name === '' && named.length === 0) return true;
      builder.add('organizations', { ...(name !== '' && { name }), ...(sortAs !== '' && { sortAs }), ...(named.length > 0 && { units: named }) }, parameters);
      return true;
    },
    tel(builder, line, parameters) {
      const features = parameters.takeTypes(phoneFeatures);
      const value = textValue(line);
      const number = value.includes(';') ? value : value.replace(/^tel:/i, '');
      if (number !== '') builder.add('phones', { number, ...(features.length > 0 && { features: setOf(features) }) }, parameters);
      return true;
    },
    adr(builder, line, parameters) {
      const parts = addressComponents(listValues(line));
      const label = parameters.take('label');
      const full = label?.replace(/\\([\\nN])/g, (_, code: string) => (code === '\\' ? '\\' : '\n'));
      const isEmpty = parts.length === 0 && full === undefined && !['geo', 'tz', 'cc'].some((name) => parameters.get(name) !== undefined);
      if (!isEmpty) builder.add('addresses', { ...(parts.length > 0 && { components: parts }), ...(full !== undefined && { full }) }, parameters);
      return true;
    },
    label(builder, line, parameters) {
      const contexts = Object.keys(setOf(new Parameters(line).takeTypes(contextTypes))).join(' ');
      const addresses = builder.entries('addresses');
      const full = textValue(line);
      const id = builder.addressWithoutLabel(line.group === undefined ? `of ${contexts}` : `in ${line.group}`);
      if (id !== undefined) {
        addresses.set(id, { ...addresses.get(id), full });
        return true;
      }
      if (full !== '') builder.add('addresses', { full }, parameters);
      return true;
    },
    impp(builder, line, parameters) {
      if (line.value !== '') builder.add('onlineServices', { uri: textValue(line), vCardName: line.name }, parameters);
      return true;
    },
    socialprofile(builder, line, parameters) {
      if (line.value === '' && parameters.get('username') === undefined) return true;
      const isUser = parameters.get('value')?.toLowerCase() === 'text';
      const known = new Map([...contextTypes.keys(), 'pref'].map((type) => [type, type]));
      const word = parameters.get('service-type') === undefined ? parameters.types.find((type) => !known.has(type)) : undefined;
      if (word !== undefined) parameters.types = parameters.types.filter((type) => type !== word);
      const value = textValue(line);
      // Without a name, a URI of another scheme is written as IMPP.
      const isNamed = !isUser && parameters.get('username') === undefined && !/^https?:/i.test(value);
      builder.add(
        'onlineServices',
        { ...(word !== undefined && { service: word }), [isUser ? 'user' : 'uri']: value, ...(isNamed && { vCardName: line.name }) },
        parameters,
      );
      return true;
    },
    ...Object.fromEntries([...userProperties].map(([name, service]) => [name, onlineService(service)])),
    bday: date,
    anniversary: date,
    deathdate: date,
    categories(builder, line) {
      for (const keyword of textValues(line)) if (keyword !== '') builder.include('keywords', keyword);
      return true;
    },
    uid: once('uid', (text) => text || undefined),
    prodid: once('prodId'),
    language: once('language'),
    kind: once('kind', (text) => text.toLowerCase()),
    rev(builder, line) {
      const time = utcOf(textValue(line));
      return time !== undefined && builder.setOnce('updated', time);
    },
    created(builder, line) {
      const time = utcOf(textValue(line));
      return time !== undefined && builder.setOnce('created', time);
    },
    member(builder, line) {
      if (line.value === '') return true;
      builder.include('members', textValue(line));
      return true;
    },
    related(builder, line, parameters) {
      if (line.value === '') return true;
      parameters.take('value');
      const relation = setOf(parameters.types);
      parameters.types = [];
      const left = parameters.left();
      builder.entries('relatedTo').set(textValue(line), { relation, ...(Object.keys(left).length > 0 && { vCardParams: left }) });
      return true;
    },
    gramgender(builder, line) {
      if (line.value === '') return true;
      if (Object.hasOwn(objectOf(builder.get('speakToAs')) ?? {}, 'grammaticalGender')) return false;
      speakToAs(builder, { grammaticalGender: textValue(line).toLowerCase() });
      return true;
    },
    pronouns(builder, line, parameters) {
      builder.add('pronouns', { pronouns: textValue(line) }, parameters);
      return true;
    },
  }),
);

/** Reads a property with one value in one object. */
const readSimple: Reader = (builder, line, parameters) => {
  const { map, key, kind } = simpleProperties.get(line.name)!;
  const isText = formOf(line.name) === 'text';
  const value = isText ? textValue(line) : uriOf(line, parameters);
  if (value === '') return true;
  // Other values of these properties are texts, such as a key in text or how a name sounds.
  if (/^(?:photo|logo|sound|key)$/.test(line.name) && (!isUri(value) || parameters.get('value')?.toLowerCase() === 'text')) return false;
  const more: { [name: string]: unknown } = {};
  if (map === 'notes') {
    const created = utcOf(parameters.get('created') ?? '');
    if (created !== undefined) {
      more['created'] = created;
      parameters.take('created');
    }
    const author = { uri: parameters.take('author'), name: parameters.take('author-name') };
    const named = Object.entries(author).filter(([, each]) => each !== undefined);
    if (named.length > 0) more['author'] = Object.fromEntries(named);
  }
  if (map === 'personalInfo') {
    const level = parameters.take('level')?.toLowerCase();
    if (level !== undefined) more['level'] = kind === 'expertise' ? (expertiseLevels.get(level) ?? level) : level;
  }
  if (map === 'personalInfo' || map === 'directories') {
    const index = Number(parameters.get('index'));
    if (Number.isSafeInteger(index) && index >= 1) {
      more['listAs'] = index;
      parameters.take('index');
    }
  }
  builder.add(map, { ...(kind !== undefined && { kind }), [key]: value, ...more }, parameters);
  return true;
};

/** A property of vCard 3 with the name that it has in version 4. X-GENDER has any words in some programs. */
const withReadName = (line: ContentLine): ContentLine => {
  const name = readName(line.name);
  return { ...line, name: name === 'gender' && !/^(?:[MFONU]?$|[^;]*;)/.test(line.value) ? 'x-gender' : name };
};

/**
 * The JSContact Card of a vCard 2.1, 3 or 4 (RFC 9555). Properties without a place in JSContact are kept in `vCardProps`,
 * and parameters without a place in `vCardParams`.
 */
export const cardOfVCard = (written: readonly ContentLine[]): JsonObject => {
  const lines = written.map(withReadName);
  const builder = new CardBuilder(lines);
  const later = (line: ContentLine): boolean => line.name === 'label' || line.name === 'sort-string';
  const ordered = [...lines.filter((line) => !later(line)), ...lines.filter(later)];
  for (const line of ordered) {
    if (builder.isLabelOfGroup(line) || line.name === 'jsprop') continue;
    const read = readers.get(line.name) ?? (simpleProperties.has(line.name) ? readSimple : undefined);
    if (read?.(builder, line, new Parameters(line)) !== true) builder.keep(line);
  }
  const pronouns = builder.takeEntries('pronouns');
  if (pronouns) speakToAs(builder, { pronouns });
  const name = objectOf(builder.get('name'));
  if (name && !Object.hasOwn(name, 'full') && !Object.hasOwn(name, 'components')) {
    builder.remove('name');
    for (const line of lines) if (line.name === 'sort-string' && line.value !== '') builder.keep(line);
  }
  if (builder.get('kind') !== 'group' && builder.takeSet('members')) {
    for (const line of lines) if (line.name === 'member') builder.keep(line);
  }
  const card = builder.build();
  const unread = lines.filter((line) => line.name === 'jsprop' && !setJsProperty(card, new Parameters(line).get('jsptr') ?? '', textValue(line)));
  for (const line of unread) builder.keep(line);
  const kept = builder.kept();
  return kept.length > 0 ? { ...card, vCardProps: kept } : card;
};
