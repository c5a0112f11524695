import * as fc from 'fast-check';
import { setErrorTypes } from '../../../../contract/jmap/core.ts';
import { parseHeaderFields } from '../../../../core/mime/header-fields.ts';
import { objectKeys } from '../../../../core/storage/object-keys.ts';
import { assertProperty } from '../../../support/assert-property.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const numRuns = 60;

let deployment: JmapDeployment;
let email: Json;
beforeAll(async () => {
  deployment = await jmapDeployment({ quotaDefaults: { octets: 1e12, count: 1e9 } });
  const drafts = (await deployment.roles())['drafts']!;
  const blobId = await deployment.upload(Buffer.from('content'));
  email = {
    mailboxIds: { [drafts]: true },
    keywords: { $draft: true },
    receivedAt: '2026-11-21T08:00:00Z',
    subject: 'Subject',
    from: [{ name: 'Alice', email: 'alice@example.test' }],
    messageId: ['a@b'],
    sentAt: '2026-11-21T09:00:00+01:00',
    'header:To:asGroupedAddresses': [{ name: 'G', addresses: [{ name: null, email: 'a@b' }] }],
    'header:X-Raw:all': [' a', ' b'],
    'header:List-Help:asURLs': ['https://example.test'],
    bodyStructure: {
      type: 'multipart/mixed',
      subParts: [
        { partId: 't', type: 'text/plain', 'header:Content-Description:asText': 'x' },
        { blobId, type: 'image/png', name: 'a.png', disposition: 'inline', cid: 'a@b', language: ['en'], location: 'a' },
      ],
    },
    bodyValues: { t: { value: 'text', isTruncated: false } },
  };
});

/** Values that are mostly invalid. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e300,
    '',
    'text/plain',
    'multipart/mixed',
    'text/html',
    't',
    '#t',
    'a\r\nBcc: evil@example.test',
    'a\0b',
    '=?utf-8?Q?=00?=',
    '\ud800',
    ' x\r\n y',
    '__proto__',
    [],
    {},
    [null],
    [[]],
    [{}],
    ['x'],
    { value: 'x' },
    { partId: 't' },
    { subParts: [{ partId: 't' }] },
    'x'.repeat(5000),
  ),
  fc.string({ unit: 'binary' }),
  fc.anything({ maxDepth: 2 }),
);
const name = fc.constantFrom(
  'header:X-A',
  'header:Subject',
  'header:From:asAddresses',
  'header:Content-Type',
  'header:Content-Disposition:asText',
  'header:Content-ID',
  'header:__proto__',
  'header:X:asDate:all',
  'headers',
  'textBody',
  'htmlBody',
  'attachments',
  'bodyStructure',
  'size',
  'charset',
  'type',
  'partId',
  'blobId',
  'subParts',
  '__proto__',
  'constructor',
);
/** One change at a path. The path is followed as far as the value has it. */
const change = fc.record({ path: fc.array(fc.nat({ max: 12 }), { maxLength: 5 }), name: fc.option(name), value });

const changed = (target: unknown, path: readonly number[], key: string | null, to: unknown): unknown => {
  if (typeof target !== 'object' || target === null) return to;
  if (path.length === 0 && key !== null && !Array.isArray(target)) return Object.fromEntries([...Object.entries(target), [key, to]]);
  if (path.length === 0) return to;
  const keys = Object.keys(target);
  const chosen = keys[path[0]! % Math.max(1, keys.length)];
  if (chosen === undefined) return to;
  const inner = changed((target as Json)[chosen], path.slice(1), key, to);
  return Array.isArray(target)
    ? target.map((each: unknown, index) => (String(index) === chosen ? inner : each))
    : Object.fromEntries(Object.entries(target).map(([each, old]) => [each, each === chosen ? inner : old]));
};

describe('Email/set create of a mutated Email', () => {
  test('creates the Email or refuses it with a set error, and adds no header field that it does not name', async () => {
    await assertProperty(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const mutated = changes.reduce<unknown>((given, { path, name: key, value: to }) => changed(given, path, key, to), email);
        const create = JSON.parse(JSON.stringify({ a: mutated })) as Json;
        fc.pre(Object.hasOwn(create, 'a'));
        const response = await deployment.call('Email/set', { create });
        if (response['type'] !== undefined) {
          expect(response['type']).toBe('invalidArguments');
          return;
        }
        if (response['notCreated'] !== null) {
          expect(setErrorTypes).toContain(response['notCreated'].a.type);
          expect(response['notCreated'].a.description).toMatch(/\w/);
          return;
        }
        const { id, blobId } = response['created'].a as Json;
        const raw = (await deployment.objects.get(objectKeys.message('acc_alice', (blobId as string).slice(1))))!.bytes;
        const names = parseHeaderFields(raw.subarray(0, raw.indexOf('\r\n\r\n'))).map((field) => field.name.toLowerCase());
        expect(names.filter((each) => each === 'bcc' && !Object.hasOwn(mutated as object, 'bcc'))).toEqual([]);
        await deployment.call('Email/set', { destroy: [id] });
      }),
      { numRuns },
    );
    expect(deployment.logged).toEqual([]);
  });
});
