import { buffer } from 'node:stream/consumers';
import type { S3Client } from '@aws-sdk/client-s3';
import { ZipFile } from 'yazl';
import { s3Source } from '../../../cli/sources/s3-source.ts';
import { described, readAll } from './read-options.ts';

const message = (name: string, size = 0) => `Received: x; Sat, 21 Nov 2026 08:38:00 +0000\nSubject: ${name}\n\n${'x'.repeat(size)}`;

const zipOf = async (entries: Readonly<Record<string, string>>): Promise<Buffer> => {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), name, { compress: false });
  zip.end();
  return buffer(zip.outputStream);
};

/** An S3 client with one object. `fail` is thrown by requests for its content. */
const bucketWith = (content: Buffer) => {
  const ranges: string[] = [];
  const faults: { fail?: Error } = {};
  const send = async ({ input }: { input: { Key: string; Range?: string } }) => {
    if (input.Key === 'missing') throw Object.assign(new Error('the key does not exist'), { name: 'NotFound' });
    if (input.Range === undefined) return { ContentLength: content.length };
    if (faults.fail) throw faults.fail;
    ranges.push(input.Range);
    const [start, end] = input.Range.slice('bytes='.length).split('-').map(Number);
    return { Body: { transformToByteArray: async () => content.subarray(start, end! + 1) } };
  };
  return { ranges, faults, client: { send, destroy: () => undefined } as unknown as S3Client };
};

describe('an object of S3', () => {
  test('that is a zip is read in blocks of 8 MB, including the last block with its directory', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `Inbox/${index}.eml`);
    const { ranges, client } = bucketWith(await zipOf(Object.fromEntries(names.map((name) => [name, message(name, 900_000)]))));
    const items = described(await readAll(await s3Source('s3://bucket/exports/ada.zip', 'mboxrd', client)));
    expect(items.map((item) => ('folders' in item ? item.folders : item))).toEqual(names.map(() => ['Inbox (inbox)']));
    expect(ranges.map((range) => Number(/\d+/.exec(range)![0]) / (8 * 1024 * 1024))).toEqual([3, 0, 1, 2, 3]);
  });

  test('that is an mbox is streamed', async () => {
    const { client } = bucketWith(Buffer.from(`From a Sat Nov 21 08:38:00 2026\n${message('a')}\n\n`));
    expect(described(await readAll(await s3Source('s3://bucket/Sent.mbox', 'mboxrd', client)))).toEqual([
      { text: `${message('a')}\n`, folders: ['Sent (sent)'], keywords: [], receivedAt: '2026-11-21T08:38:00.000Z' },
    ]);
  });

  test('that cannot be read ends the import instead of reporting damaged messages', async () => {
    const { client, faults } = bucketWith(
      await zipOf({ 'a.eml': message('a', 9_000_000), 'b.eml': message('b', 9_000_000), 'c.eml': message('c', 20_000_000) }),
    );
    const source = await s3Source('s3://bucket/ada.zip', 'mboxrd', client);
    faults.fail = new Error('the network is down');
    await expect(readAll(source, { maxMessageSize: 40_000_000 })).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('the network is down'),
    });
  });

  test('that does not exist, or is not a zip, is refused with a message', async () => {
    const { client } = bucketWith(Buffer.from('x'.repeat(100)));
    await expect(s3Source('s3://bucket/missing', 'mboxrd', client)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('s3:GetObject, and kms:Decrypt'),
    });
    await expect(s3Source('s3://bucket/text', 'mboxrd', client)).rejects.toMatchObject({ message: expect.stringContaining('cannot be read as a zip file') });
  });
});
