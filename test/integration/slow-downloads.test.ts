import { accessTokenOf } from './access-tokens.ts';
import { describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, type JmapClient } from './jmap-client.ts';
import { beginDownload, storeLargeBlob, type SlowReader } from './slow-readers.ts';

const size = 36_000_000;

describeWith('users')('downloads of a person with a slow connection', () => {
  let token: string;
  let bob: JmapClient;
  let blobId: string;
  let readers: SlowReader[];
  const begin = (headers?: Record<string, string>) => beginDownload(bob, token, blobId, headers);
  /** Begins a download as soon as a slot is free. */
  const beginInTime = () =>
    eventually(async () => {
      const reader = await begin();
      if (reader.status !== 200) reader.disconnect();
      expect(reader.status).toBe(200);
      return reader;
    }, 500);

  beforeAll(async () => {
    token = await accessTokenOf('bob');
    bob = await jmapClient(token);
    blobId = await storeLargeBlob(bob, size);
  });
  afterAll(() => readers?.forEach((reader) => reader.disconnect()));

  test('are four at the same time, and a fifth is 429 with Retry-After', async () => {
    // All at once, because those that were begun earlier could be cut off on a slow machine.
    const begun = await Promise.all(Array.from({ length: 5 }, () => begin()));
    readers = begun.filter(({ status }) => status === 200);
    expect(begun.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 200, 200, 200, 429]);
    expect(begun.find(({ status }) => status === 429)!.headers['retry-after']).toBe('10');
    // Small ones are not counted.
    const [first, beyond] = [await begin({ range: 'bytes=0-0' }), await begin({ range: `bytes=${size}-` })];
    expect([first.status, first.headers['content-range'], beyond.status, beyond.headers['content-range']]).toEqual([
      206,
      `bytes 0-0/${size}`,
      416,
      `bytes */${size}`,
    ]);
  });

  test('hold nothing when the reader has disconnected', async () => {
    readers[0]!.disconnect();
    readers[0] = await beginInTime();
  });

  test('are whole when the reader goes on, and make room for the next one', async () => {
    expect(await readers[0]!.readRest()).toBe(size);
    readers[0] = await beginInTime();
  });

  test('are broken connections when the reader takes nothing for 20 seconds, hold nothing then, and can be continued', async () => {
    // All four are cut off: as many begin again, without an end of the others.
    const again: SlowReader[] = [];
    for (let count = 0; count < 4; count++) again.push(await beginInTime());
    const outcomes = await Promise.allSettled(readers.map((reader) => reader.readRest()));
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    again.forEach((reader) => reader.disconnect());
    const rest = await eventually(async () => {
      const reader = await begin({ range: `bytes=${size / 2}-` });
      expect(reader.status).toBe(206);
      return reader;
    });
    expect(await rest.readRest()).toBe(size / 2);
  }, 90_000);
});
