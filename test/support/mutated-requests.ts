import * as fc from 'fast-check';
import { capability } from '../../contract/jmap/core.ts';
import type { DataType } from '../../contract/jmap/data-type.ts';
import { bodyPartProperties, email } from '../../contract/jmap/email.ts';
import type { Arguments, RecordType } from '../../contract/jmap/record.ts';
import type { StatedMethod } from './stated-methods.ts';

/**
 * JMAP requests with mistakes, derived from the contract: each has calls of the methods that the contract states, with
 * arguments that are valid, of another type, missing or unknown. Names in `⟨⟩` are placeholders for the ids of records.
 */

/** Placeholders of ids; a test replaces them by ids of its account, of another account, and of other types. */
export const placeholders = [
  '⟨email⟩',
  '⟨otherEmail⟩',
  '⟨thread⟩',
  '⟨inbox⟩',
  '⟨junk⟩',
  '⟨mailbox⟩',
  '⟨subscription⟩',
  '⟨foreignEmail⟩',
  '⟨foreignMailbox⟩',
  '⟨message⟩',
  '⟨part⟩',
  '⟨foreignMessage⟩',
] as const;
export type Placeholder = (typeof placeholders)[number];

const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
/** Values of `one`, and in one of `weight` + 1 cases a value of `other`. */
const mostly = <T>(one: fc.Arbitrary<T>, other: fc.Arbitrary<T>, weight = 4): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: one, weight }, { arbitrary: other, weight: 1 });

const nested = (open: string, inner: string, close: string, depth: number): unknown => JSON.parse(`${open.repeat(depth)}${inner}${close.repeat(depth)}`);

/** Values that are invalid for most arguments. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  pick<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1,
    1.5,
    1e308,
    -(2 ** 53),
    2 ** 53,
    '',
    ' ',
    'x',
    '#',
    '#new0',
    '#nothing',
    'constructor',
    '__proto__',
    '\0',
    '\ud800',
    'é',
    '*',
    '/',
    '~2',
    'a'.repeat(255),
    'a'.repeat(256),
    '2026-11-21T08:38:00Z',
    '2026-02-30T00:00:00Z',
    'header:',
    'header:X:asNope',
    [],
    {},
    [null],
    [[]],
    [{}],
    { a: null },
    { operator: 'AND' },
    { operator: 'NOT', conditions: [null] },
    { '': true },
    { x: true },
    { x: false },
    JSON.parse('{"__proto__":{"a":1},"constructor":null,"toString":1}') as unknown,
    nested('[', '', ']', 60),
    nested('{"a":', '1', '}', 60),
    nested('{"operator":"NOT","conditions":[', '{}', ']}', 50),
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Placeholders of ids in the account, by type. */
const ownIds: Readonly<Record<string, readonly Placeholder[]>> = {
  Email: ['⟨email⟩', '⟨otherEmail⟩'],
  Mailbox: ['⟨inbox⟩', '⟨junk⟩', '⟨mailbox⟩'],
  Thread: ['⟨thread⟩'],
  PushSubscription: ['⟨subscription⟩'],
  blob: ['⟨message⟩', '⟨part⟩'],
};

/** Ids of other types and accounts, unknown ids, and strings that are not an Id. */
const wrongId: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: pick<string>(...placeholders), weight: 6 },
  { arbitrary: pick('M', 'Mnothing', 'F0', 'acc_alice', 'a'.repeat(255), '-', '0', '#new0', '#new1', '#nothing', '__proto__'), weight: 3 },
  { arbitrary: pick('a'.repeat(256), '', 'é', '#', 'a b'), weight: 1 },
);

/** The type whose ids an argument, a property or a condition with this name accepts; undefined for other names. */
const kindOf = (name: string): string | undefined => {
  if (/mailbox|^parentId$/i.test(name)) return 'Mailbox';
  if (/thread/i.test(name)) return 'Thread';
  if (/email|anchor|upToId/i.test(name)) return 'Email';
  return /blob/i.test(name) ? 'blob' : undefined;
};

const idOf = (kind: string | undefined): fc.Arbitrary<string> => {
  const own = ownIds[kind ?? ''];
  return own ? mostly<string>(pick(...own), wrongId, 6) : wrongId;
};
const anyId = idOf(undefined);

const words = pick(
  '',
  'hello',
  'Subject',
  '"hello from"',
  'hel*',
  '$seen',
  '$Seen',
  'k',
  'a b',
  'inbox',
  'archive',
  'name',
  'x'.repeat(256),
  '\0',
  'é',
  'a/b',
  'a~b',
  'utf-8',
  'text/plain',
  'text/html',
  'sender@example.net',
  'i;unicode-casemap',
  'https://push.example.net/x',
  'sha',
  'sha-256',
  'data:asText',
);
const dates = pick(
  '2026-11-21T08:38:00Z',
  '2026-11-21T08:38:00+01:00',
  '1969-12-31T23:59:59Z',
  '9999-12-31T23:59:59Z',
  '0000-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
);

/** Names of properties of common types, and of the objects within them. */
const propertyNames: readonly string[] = [
  ...new Set([
    ...Object.keys(email.properties),
    ...bodyPartProperties,
    'name',
    'parentId',
    'role',
    'blobId',
    'email',
    'emailId',
    'value',
    'isTruncated',
    'isEncodingProblem',
    'data',
    'data:asText',
    'data:asBase64',
    'offset',
    'length',
    'p256dh',
    'auth',
    'header:Subject',
    'header:X-Test:asText',
    'header:From:asAddresses:all',
    'header:Date:asDate',
  ]),
];

const addresses = fc.array(fc.record({ name: pick(null, 'Bob', 'Ünal', 'a\r\nb'), email: pick('bob@example.net', 'x', '') }), { maxLength: 2 });
const bodyPart = fc.record(
  {
    partId: pick('1', '2', 'none'),
    blobId: mostly<string>(pick('⟨message⟩', '⟨part⟩'), wrongId, 6),
    type: pick('text/plain', 'text/html', 'image/png', 'multipart/mixed', 'x'),
    charset: words,
    name: words,
    disposition: pick('attachment', 'inline', 'x'),
    cid: words,
    subParts: fc.constant([]),
    size: pick(0, 3, -1),
  },
  { requiredKeys: ['type'] },
);
const mailboxSet = fc.dictionary(mostly<string>(pick('⟨inbox⟩', '⟨mailbox⟩'), wrongId, 9), fc.constant(true), { minKeys: 1, maxKeys: 2 });
const dataSources = fc.array(
  fc.oneof(
    fc.record({ 'data:asText': words }),
    fc.record({ 'data:asBase64': pick('aGVsbG8=', '', '====', 'x', 'aGVsbG8') }),
    fc.record({ blobId: pick('⟨message⟩', '⟨part⟩', '#new0', '⟨foreignMessage⟩'), offset: pick(null, 0, 5, -1, 10_000), length: pick(null, 0, 3, -1, 10_000) }),
  ),
  { maxLength: 3 },
);

/** Values of mail types' properties whose shape code defines instead of the contract. */
const shaped: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...Object.fromEntries(['from', 'sender', 'to', 'cc', 'bcc', 'replyTo'].map((name) => [name, addresses])),
  ...Object.fromEntries(['textBody', 'htmlBody', 'attachments'].map((name) => [name, fc.array(bodyPart, { maxLength: 2 })])),
  bodyStructure: bodyPart,
  bodyValues: fc.dictionary(
    pick('1', '2'),
    fc.record({ value: words, isTruncated: pick(false, false, true), isEncodingProblem: fc.constant(false) }, { requiredKeys: ['value'] }),
    { maxKeys: 2 },
  ),
  mailboxIds: mailboxSet,
  keywords: fc.dictionary(pick('$seen', '$draft', 'k', 'a b'), fc.constant(true), { maxKeys: 2 }),
  data: dataSources,
  id: pick<string>(...ownIds['Email']!),
  blobId: mostly<string>(pick('⟨message⟩', '⟨part⟩'), wrongId, 6),
  receivedAt: dates,
  keys: fc.record({ p256dh: words, auth: words }),
};

/** Objects without a defined shape. */
const looseObject = (depth: number): fc.Arbitrary<object> => {
  const any =
    depth <= 0
      ? fc.oneof(words, anyId, junk)
      : fc.oneof(
          { arbitrary: fc.oneof(words, anyId, fc.integer({ min: -1, max: 300 }), fc.boolean()), weight: 3 },
          { arbitrary: junk, weight: 1 },
          { arbitrary: looseObject(depth - 1), weight: 1 },
          { arbitrary: fc.array(looseObject(depth - 1), { maxLength: 2 }), weight: 1 },
        );
  const entry = fc.oneof(
    { arbitrary: fc.oneof(...Object.entries(shaped).map(([name, value]) => fc.tuple(fc.constant(name), value))), weight: 4 },
    { arbitrary: fc.tuple(mostly(pick(...propertyNames), words), any), weight: 1 },
  );
  const usual = fc.record(shaped, { requiredKeys: ['mailboxIds', 'blobId'] });
  return fc.oneof(
    fc.array(entry, { maxLength: 5 }).map((entries) => Object.fromEntries(entries) as object),
    fc.record({ blobId: shaped['blobId']!, mailboxIds: mailboxSet }),
    fc.record({ id: shaped['id']!, mailboxIds: mailboxSet }),
    fc.record({ data: dataSources, type: words }, { requiredKeys: ['data'] }),
    usual,
  );
};

/** Values of a type; most ids are of the given kind. */
const valueOf = (type: DataType, kind?: string): fc.Arbitrary<unknown> => {
  if (typeof type === 'object') {
    if ('orNull' in type) return mostly(valueOf(type.orNull, kind), fc.constant(null));
    if ('list' in type) return fc.array(valueOf(type.list, kind), { maxLength: 4 });
    if ('mapOf' in type) return fc.dictionary(mostly(pick('new0', 'new1', '1'), anyId), valueOf(type.mapOf, kind), { maxKeys: 3 });
    return fc.dictionary(type.setOf === 'Id' ? idOf(kind) : words, mostly<unknown>(fc.constant(true), junk, 20), { maxKeys: 3 });
  }
  switch (type) {
    case 'Id':
    case 'IdOrCreationId':
      return idOf(kind);
    case 'String':
      return fc.oneof(words, pick('Email-1', 'Mailbox-0', 'Thread-2', 'Email-1.M'), anyId, pick(...propertyNames));
    case 'Boolean':
      return fc.boolean();
    case 'Int':
      return pick(0, 1, -1, 3, -1000, 2 ** 53 - 1, -(2 ** 53) + 1);
    case 'UnsignedInt':
      return pick(0, 1, 2, 100, 5001, 2 ** 53 - 1);
    case 'UTCDate':
    case 'Date':
      return dates;
    case 'Object':
    default:
      return looseObject(2);
  }
};
/** Values of the property or condition with this name. A few are of another type. */
const namedValue = (name: string, type: DataType): fc.Arbitrary<unknown> => mostly(shaped[name] ?? valueOf(type, kindOf(name)), junk, 20);

/** A filter of the type: its conditions, some with wrong values, and operators (RFC 8620 §5.5). */
export const mutatedFilter = ({ filters = {} }: RecordType): fc.Arbitrary<unknown> => {
  const condition = fc
    .array(
      mostly<[string, unknown]>(
        fc.oneof(...Object.entries(filters).map(([name, { type }]) => fc.tuple(fc.constant(name), namedValue(name, type)))),
        fc.tuple(words, junk),
        20,
      ),
      { maxLength: 3 },
    )
    .map((entries) => Object.fromEntries(entries) as unknown);
  return fc.letrec<{ filter: unknown }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { arbitrary: condition, weight: 20 },
      { arbitrary: fc.record({ operator: mostly(pick('AND', 'OR', 'NOT'), words, 20), conditions: fc.array(tie('filter'), { maxLength: 3 }) }), weight: 10 },
      { arbitrary: junk, weight: 1 },
    ),
  })).filter;
};

/** Comparators of the type. Some have wrong properties (RFC 8620 §5.5). */
export const mutatedSort = ({ sorts = {} }: RecordType): fc.Arbitrary<unknown> => {
  const comparators = Object.entries(sorts).map(([property, sort]): fc.Arbitrary<unknown> => {
    const more = Object.entries(sort.arguments ?? {}).map(([name, { type }]) => [name, namedValue(name, type)] as const);
    return fc.record(
      Object.fromEntries<fc.Arbitrary<unknown>>([['property', fc.constant(property)], ['isAscending', mostly<unknown>(fc.boolean(), junk, 20)], ...more]),
    );
  });
  const wrong = fc.oneof(junk, fc.record({ property: fc.oneof(words, junk), collation: words, keyword: junk, position: junk }));
  return fc.array(mostly<unknown>(fc.oneof(...comparators, wrong), wrong, 20), { maxLength: 3 });
};

/** The object. One in four has an additional member or a changed member. */
const withMistake = (object: fc.Arbitrary<object>, names: readonly string[]): fc.Arbitrary<unknown> =>
  mostly<unknown>(
    object,
    fc
      .tuple(object, mostly(pick(...names), words), junk)
      .map(([given, name, value]) => Object.fromEntries([...Object.entries(given), [name, value]]) as unknown),
    3,
  );

/** Properties of a new record of the type: the required ones, and some others. */
export const mutatedNewRecord = ({ properties }: RecordType): fc.Arbitrary<unknown> => {
  const settable = Object.entries(properties)
    .filter(([, { serverSet }]) => !serverSet)
    .map(([name, { type, default: value }]) => ({
      name,
      value: namedValue(name, type),
      isNeeded: value === undefined && (!shaped[name] || name === 'mailboxIds'),
    }));
  const needed = fc.record(Object.fromEntries(settable.filter(({ isNeeded }) => isNeeded).map(({ name, value }) => [name, value])));
  const further = fc.array(fc.oneof(...settable.map(({ name, value }) => fc.tuple(fc.constant(name), value))), { maxLength: 3 });
  return withMistake(
    fc.tuple(needed, further).map(([record, more]) => Object.fromEntries([...Object.entries(record), ...more]) as object),
    Object.keys(properties),
  );
};

/** A PatchObject of the type (RFC 8620 §5.3). Some paths contradict each other or do not exist. */
export const mutatedPatch = ({ properties }: RecordType): fc.Arbitrary<unknown> => {
  const member = (name: string) => fc.oneof(words, idOf(kindOf(name))).map((each) => each.replaceAll('~', '~0').replaceAll('/', '~1'));
  const pathsOf = ([name, { type, serverSet, immutable }]: [string, RecordType['properties'][string]]): fc.WeightedArbitrary<[string, unknown]> => ({
    weight: (serverSet ?? immutable) ? 1 : 6,
    arbitrary: fc.oneof<fc.Arbitrary<[string, unknown]>[]>(
      fc.tuple(fc.constant(name), namedValue(name, type)),
      ...(typeof type === 'object' && ('setOf' in type || 'mapOf' in type)
        ? [
            fc.tuple(
              member(name).map((each) => `${name}/${each}`),
              pick<unknown>(true, true, null, false, 'x'),
            ),
          ]
        : []),
    ),
  });
  const wrongPath = fc.tuple(
    fc.oneof(
      pick('', '/', '~', 'a~2', '/id', 'nope', 'nope/a', '__proto__/a', 'a'.repeat(256)),
      fc.tuple(pick(...Object.keys(properties)), words, words).map((tokens) => tokens.join('/')),
    ),
    junk,
  );
  const paths = fc.oneof(...Object.entries(properties).map(pathsOf), { weight: 2, arbitrary: wrongPath });
  return mostly<unknown>(
    fc.array(paths, { maxLength: 4 }).map((entries) => Object.fromEntries(entries) as unknown),
    junk,
    20,
  );
};

/** The values of an argument: by the name if the contract gives it a meaning, else by the type. */
const argumentOf = (name: string, type: DataType, record: RecordType | undefined): fc.Arbitrary<unknown> => {
  const kind = kindOf(name) ?? record?.name;
  if (name === 'accountId' || name === 'fromAccountId') {
    return fc.oneof({ arbitrary: fc.constant('acc_alice'), weight: 20 }, { arbitrary: pick('acc_bob', 'acc_nobody', 'a'.repeat(256)), weight: 1 });
  }
  if (name === 'filter') return mutatedFilter(record ?? email);
  if (!record) return valueOf(type, kind);
  switch (name) {
    case 'sort':
      return mutatedSort(record);
    case 'create':
      return fc.dictionary(mostly(pick('new0', 'new1', 'new2'), wrongId, 9), mutatedNewRecord(record), { maxKeys: 3 });
    case 'update':
      return fc.dictionary(idOf(kind), mutatedPatch(record), { maxKeys: 3 });
    case 'properties':
      return mostly<unknown>(fc.array(pick(...Object.keys(record.properties)), { maxLength: 4 }), valueOf(type));
    case 'sinceState':
    case 'sinceQueryState':
      return mostly(
        fc.integer({ min: 0, max: 9 }).map((sequence) => `${record.name}-${sequence}`),
        valueOf(type),
      );
    case 'ifInState':
      return mostly<unknown>(fc.constant(null), valueOf(type));
    default:
      return valueOf(type, kind);
  }
};

/** References to the responses of earlier calls, or to missing ones (RFC 8620 §3.7). */
const referenceTo = (methodNames: readonly string[]): fc.Arbitrary<unknown> =>
  mostly<unknown>(
    fc.record({
      resultOf: mostly<unknown>(pick('c0', 'c1'), junk),
      name: mostly<unknown>(pick(...methodNames), junk),
      path: mostly<unknown>(
        pick('/ids', '/list/*/id', '/list', '/list/0/mailboxIds', '', '/', '/*', '/created/new0/id', '/list/~2', `/list${'/*'.repeat(20)}`),
        junk,
      ),
    }),
    junk,
  );

const isOptional = ({ type, default: value }: Arguments[string]): boolean => value !== undefined || (typeof type === 'object' && 'orNull' in type);

/** Arguments of a method, of which at most one is missing, unknown, a reference, or of another type. */
const argumentsOf = (stated: Arguments, record: RecordType | undefined, reference: fc.Arbitrary<unknown>): fc.Arbitrary<object> => {
  const names = Object.keys(stated);
  const given = fc.record(Object.fromEntries(names.map((name) => [name, argumentOf(name, stated[name]!.type, record)])), {
    requiredKeys: names.filter((name) => !isOptional(stated[name]!)),
  });
  const change = fc.oneof(
    { arbitrary: fc.tuple(pick('omit', 'replace', 'refer'), pick(...names), junk, reference), weight: 4 },
    { arbitrary: fc.tuple(fc.constant('replace'), words, junk, reference), weight: 1 },
  );
  return fc.tuple(given, fc.option(change, { freq: 2 })).map(([values, changed]) => {
    if (!changed) return values;
    const [how, name, value, referred] = changed;
    const others = Object.entries(values).filter(([each]) => each !== name);
    return Object.fromEntries([...others, ...(how === 'omit' ? [] : [how === 'refer' ? [`#${name}`, referred] : [name, value]])]) as object;
  });
};

/** The text after one mutation: truncated, or with a range removed, repeated or inserted. */
const mutatedText = (text: string): fc.Arbitrary<string> => {
  const position = fc.nat({ max: text.length });
  const insertion = pick('"', '\\', '{', '}', '[', ']', ',', ':', 'null', '1e999', '-', '\0', '\ud800', 'é', '\\u0000', '\\ud800', ' ', '[[[[', '{"a":', '🙂');
  return fc.oneof(
    position.map((end) => text.slice(0, end)),
    fc.tuple(position, fc.integer({ min: 1, max: 10 })).map(([start, length]) => text.slice(0, start) + text.slice(start + length)),
    fc.tuple(position, fc.integer({ min: 1, max: 40 })).map(([start, length]) => text.slice(0, start + length) + text.slice(start)),
    fc.tuple(position, insertion).map(([start, inserted]) => text.slice(0, start) + inserted + text.slice(start)),
  );
};

/** Names of access tokens. Only those of alice and bob permit changes. */
const senders = ['alice', 'bob', 'reader', 'machine'] as const;

/** A request, and the name of the token with which it is sent. */
export type MutatedRequest = { readonly sender: (typeof senders)[number]; readonly body: string };

/**
 * Requests with calls of these methods, all equally often. One request in eight is changed as text, so that it may be
 * invalid JSON or another JSON value (RFC 8620 §3.6.1).
 */
export const mutatedRequests = (methods: readonly StatedMethod[]): fc.Arbitrary<MutatedRequest> => {
  const reference = referenceTo(methods.map(({ name }) => name));
  const call = fc.oneof(
    ...methods.map(({ name, stated, record }) => fc.tuple(fc.constant(name), stated === 'any' ? looseObject(2) : argumentsOf(stated, record, reference))),
  );
  const capabilities = [...new Set([capability.core, ...methods.map((method) => method.capability)])];
  const request: fc.Arbitrary<unknown> = fc.record(
    {
      using: fc.oneof(
        { arbitrary: fc.constant<unknown>(capabilities), weight: 30 },
        { arbitrary: fc.subarray(capabilities), weight: 1 },
        { arbitrary: junk, weight: 1 },
      ),
      methodCalls: mostly<unknown>(
        fc.array(call, { minLength: 1, maxLength: 3 }).map((calls) => calls.map(([name, args], index) => [name, args, `c${index}`])),
        fc.oneof(junk, fc.array(fc.tuple(words, junk, junk), { maxLength: 2 })),
        30,
      ),
      createdIds: mostly<unknown>(fc.dictionary(pick('new0', 'new9'), anyId, { maxKeys: 2 }), junk, 9),
    },
    { requiredKeys: ['using', 'methodCalls'] },
  );
  return fc.record({
    sender: mostly(fc.constant<MutatedRequest['sender']>('alice'), pick(...senders), 3),
    body: mostly(
      request.map((value) => JSON.stringify(value)),
      request.chain((value) => mutatedText(JSON.stringify(value))),
      7,
    ),
  });
};
