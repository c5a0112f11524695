import { createHash } from 'node:crypto';
import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';
import { blobCalls } from './blob-calls.ts';

const notes = 'some notes';
const message = Buffer.from(
  [
    'From: a@example.net',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Hello',
    '--b',
    'Content-Type: application/octet-stream',
    'Content-Transfer-Encoding: base64',
    'Content-Disposition: attachment',
    '',
    Buffer.from(notes).toString('base64'),
    '--b--',
    '',
  ].join('\r\n'),
);

const deployment = jmapDeploymentPerTest();
const calls = perTest(() => blobCalls(deployment));
/** The blob id of the attachment of the uploaded message, as Email/parse returns it. */
let part: string;
/** Ids of the same form that belong to no part of the message: with another size, range or encoding. */
let madeUp: string[];
beforeEach(async () => {
  const blobId = await deployment.upload(message);
  const { parsed } = await deployment.call('Email/parse', { blobIds: [blobId], properties: ['attachments'] });
  part = (parsed as Json)[blobId].attachments[0].blobId as string;
  madeUp = [part.replace(/_a$/, '_zzzzz'), part.replace(/_a$/, '_b'), part.replace(/_b_a$/, '_i_a'), part.replace(/_\w+_(\w+)_b_a$/, '_0_$1_b_a')];
  expect(new Set([part, ...madeUp]).size).toBe(5);
});

describe('a part of an uploaded message, in the Blob methods', () => {
  test('has its size, its data and its digest', async () => {
    const { list } = await calls.call('Blob/get', { ids: [part], properties: ['size', 'data:asText', 'digest:sha'], offset: 5 });
    expect(list).toEqual([{ id: part, size: notes.length, 'data:asText': 'notes', 'digest:sha': createHash('sha1').update('notes').digest('base64') }]);
    expect((await calls.create({ blobId: part, length: 4 }, { 'data:asText': '!' }))['size']).toBe(5);
  });

  test('is notFound with an invented id, for any request', async () => {
    for (const properties of [['size'], [], ['data'], ['digest:sha']]) {
      expect(await calls.call('Blob/get', { ids: [part, ...madeUp], properties })).toMatchObject({ list: [{ id: part }], notFound: madeUp });
    }
    expect(await calls.call('Blob/lookup', { ids: [part, ...madeUp], typeNames: ['Email'] })).toMatchObject({
      list: [{ id: part, matchedIds: { Email: [] } }],
      notFound: madeUp,
    });
    for (const blobId of madeUp) {
      await expect(calls.create({ blobId, length: 0 })).rejects.toMatchObject({ type: 'blobNotFound' });
    }
  });

  test('counts the message that is read, also when only its size or its records are asked for', async () => {
    const large = Buffer.concat([message, Buffer.alloc(40_000_000)]);
    const outer = await calls.upload(large);
    const id = part.replace(/^NU[\w-]{22}/, `N${outer}`);
    const requests = (name: string, args: Json) => calls.request(...Array.from({ length: 3 }, () => [name, { ids: [id], ...args }] as const));
    for (const responses of [await requests('Blob/get', { properties: ['size'] }), await requests('Blob/lookup', { typeNames: [] })]) {
      expect(responses.map(({ type, list }) => type ?? (list as unknown[]).length)).toEqual([1, 1, 'requestTooLarge']);
    }
  });
});
