import { randomBytes } from 'node:crypto';
import type { Objects } from '../../core/storage/objects.ts';

/** The adapter under test. */
type ObjectsUnderTest = {
  readonly objects: Objects;
  /** The former contents of the object, even after its removal. */
  earlierVersions(key: string): Promise<readonly Buffer[]>;
};

/** The specification of the port to the mail bucket: every adapter passes it. */
export const objectsSuite = (start: () => Promise<ObjectsUnderTest>): void => {
  let objects: Objects;
  let under: ObjectsUnderTest;
  const text = (content: string) => Buffer.from(content);

  beforeAll(async () => {
    under = await start();
    objects = under.objects;
  });

  test('get returns what was put, with its type and size', async () => {
    const bytes = randomBytes(100_000);
    await objects.put('messages/acc_1/whole', bytes, 'message/rfc822');
    const found = await objects.get('messages/acc_1/whole');
    expect(found?.bytes.equals(bytes)).toBe(true);
    expect(found).toMatchObject({ size: 100_000, type: 'message/rfc822' });
    expect(await objects.size('messages/acc_1/whole')).toBe(100_000);
  });

  test('put replaces an object', async () => {
    await objects.put('messages/acc_1/again', text('first'));
    await objects.put('messages/acc_1/again', text('second'));
    expect((await objects.get('messages/acc_1/again'))?.bytes.toString()).toBe('second');
  });

  test('get returns an empty object', async () => {
    await objects.put('uploads/acc_1/empty', Buffer.alloc(0), 'text/plain');
    expect(await objects.get('uploads/acc_1/empty')).toMatchObject({ bytes: Buffer.alloc(0), size: 0 });
    expect(await objects.get('uploads/acc_1/empty', { start: 0, end: 10 })).toMatchObject({ bytes: Buffer.alloc(0), size: 0 });
    expect(await objects.size('uploads/acc_1/empty')).toBe(0);
  });

  test('a range excludes its end and has the size of the whole object', async () => {
    await objects.put('messages/acc_1/range', text('0123456789'), 'text/plain');
    const part = await objects.get('messages/acc_1/range', { start: 2, end: 5 });
    expect(part?.bytes.toString()).toBe('234');
    expect(part).toMatchObject({ size: 10, type: 'text/plain' });
  });

  test('a range ends at the end of the object; one past it, or an empty one, is empty', async () => {
    await objects.put('messages/acc_1/edge', text('0123456789'));
    expect((await objects.get('messages/acc_1/edge', { start: 8, end: 99 }))?.bytes.toString()).toBe('89');
    expect(await objects.get('messages/acc_1/edge', { start: 10, end: 20 })).toMatchObject({ bytes: Buffer.alloc(0), size: 10 });
    expect(await objects.get('messages/acc_1/edge', { start: 4, end: 4 })).toMatchObject({ bytes: Buffer.alloc(0), size: 10 });
  });

  test('every read of a missing object returns undefined', async () => {
    expect(await objects.get('messages/acc_1/none')).toBeUndefined();
    expect(await objects.get('messages/acc_1/none', { start: 0, end: 10 })).toBeUndefined();
    expect(await objects.get('messages/acc_1/none', { start: 0, end: 0 })).toBeUndefined();
    expect(await objects.size('messages/acc_1/none')).toBeUndefined();
    expect(await objects.copy('messages/acc_1/none', 'messages/acc_1/copy-of-none')).toBe(false);
    expect(await objects.size('messages/acc_1/copy-of-none')).toBeUndefined();
  });

  test('copy keeps the bytes and the type, and can be repeated', async () => {
    await objects.put('inbound/abc+d e', text('raw message'), 'message/rfc822');
    expect(await objects.copy('inbound/abc+d e', 'messages/acc_1/abc')).toBe(true);
    expect(await objects.copy('inbound/abc+d e', 'messages/acc_1/abc')).toBe(true);
    const found = await objects.get('messages/acc_1/abc');
    expect(found?.bytes.toString()).toBe('raw message');
    expect(found?.type).toBe('message/rfc822');
  });

  test('removing by prefix removes no other objects', async () => {
    for (const key of ['messages/acc_9/1', 'messages/acc_9/2', 'messages/acc_99/1', 'uploads/acc_9/1']) await objects.put(key, text('x'));
    expect(await objects.removeSome('messages/acc_9/')).toBe(2);
    expect(await objects.removeSome('messages/acc_9/')).toBe(0);
    const left = await Promise.all(['messages/acc_9/1', 'messages/acc_9/2', 'messages/acc_99/1', 'uploads/acc_9/1'].map((key) => objects.size(key)));
    expect(left).toEqual([undefined, undefined, 1, 1]);
  });

  test('list returns the objects with the prefix in ascending order, with the time of their last write', async () => {
    const before = Date.now() - 5000;
    for (const key of ['snapshots/acc_7/b', 'snapshots/acc_7/a', 'snapshots/acc_77/c']) await objects.put(key, text('x'));
    const found = await objects.list('snapshots/acc_7/');
    expect(found.map(({ key }) => key)).toEqual(['snapshots/acc_7/a', 'snapshots/acc_7/b']);
    for (const { modified } of found) expect(modified.getTime()).toBeGreaterThan(before);
    expect(await objects.list('snapshots/acc_0/')).toEqual([]);
  });

  test('remove removes these objects only, and ignores absent ones', async () => {
    for (const key of ['messages/acc_8/1', 'messages/acc_8/2']) await objects.put(key, text('x'));
    await objects.remove(['messages/acc_8/1', 'messages/acc_8/none']);
    await objects.remove(['messages/acc_8/1']);
    await objects.remove([]);
    expect((await objects.list('messages/acc_8/')).map(({ key }) => key)).toEqual(['messages/acc_8/2']);
  });

  test('a removed object keeps its content as an earlier version, and one that is put again keeps both', async () => {
    await objects.put('messages/acc_6/kept', text('first'));
    await objects.remove(['messages/acc_6/kept']);
    await objects.put('messages/acc_6/kept', text('second'));
    await objects.removeSome('messages/acc_6/kept');
    expect((await under.earlierVersions('messages/acc_6/kept')).map(String)).toEqual(['first', 'second']);
  });

  test('erase removes these objects with their earlier versions, and nothing of others', async () => {
    for (const key of ['messages/acc_5/1', 'messages/acc_5/10', 'messages/acc_5/2']) {
      await objects.put(key, text('old'));
      await objects.put(key, text('new'));
    }
    await objects.remove(['messages/acc_5/2']);
    await objects.erase(['messages/acc_5/1', 'messages/acc_5/2', 'messages/acc_5/none']);
    await objects.erase([]);
    expect((await objects.list('messages/acc_5/')).map(({ key }) => key)).toEqual(['messages/acc_5/10']);
    const versions = await Promise.all(['messages/acc_5/1', 'messages/acc_5/10', 'messages/acc_5/2'].map((key) => under.earlierVersions(key)));
    expect(versions.map(({ length }) => length)).toEqual([0, 1, 0]);
  });

  test('erasing by prefix removes all versions, of removed objects too', async () => {
    for (const key of ['messages/acc_4/1', 'messages/acc_4/2', 'messages/acc_44/1']) await objects.put(key, text('x'));
    await objects.remove(['messages/acc_4/1']);
    expect(await objects.eraseSome('messages/acc_4/')).toBeGreaterThan(0);
    expect(await objects.eraseSome('messages/acc_4/')).toBe(0);
    expect(await under.earlierVersions('messages/acc_4/1')).toEqual([]);
    expect(await objects.size('messages/acc_4/2')).toBeUndefined();
    expect(await objects.size('messages/acc_44/1')).toBe(1);
  });
};
