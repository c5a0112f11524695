import { CopyObjectCommand, DeleteObjectCommand, GetBucketVersioningCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import type { RestoreDependencies } from '../../../../../cli/admin/restore/restore-clients.ts';
import { repairOf, restoreMessages, type ObjectVersion } from '../../../../../cli/admin/restore/steps/message-objects.ts';

const time = new Date('2026-11-26T08:00:00Z');
const at = (minutes: number): Date => new Date(time.getTime() + minutes * 60_000);
const content = (id: string, minutes: number, etag = id): ObjectVersion => ({ id, modified: at(minutes), isMarker: false, etag });
const marker = (id: string, minutes: number): ObjectVersion => ({ id, modified: at(minutes), isMarker: true });

describe('an object that the restored tables name', () => {
  test.each<[string, readonly ObjectVersion[], ReturnType<typeof repairOf>]>([
    ['is left alone while it is as it was', [content('a', -5)], { kind: 'readable' }],
    ['is uncovered after it was removed', [marker('m', 5), content('a', -5)], { kind: 'uncover', markers: ['m'] }],
    ['is uncovered after it was removed twice', [marker('n', 6), marker('m', 5), content('a', -5)], { kind: 'uncover', markers: ['n', 'm'] }],
    ['is copied after it was replaced', [content('b', 5), content('a', -5)], { kind: 'copy', version: 'a' }],
    ['is copied after it was replaced and removed', [marker('m', 6), content('b', 5), content('a', -5)], { kind: 'copy', version: 'a' }],
    ['is left alone after the same content was stored again', [content('b', 5, 'same'), content('a', -5, 'same')], { kind: 'readable' }],
    [
      'is uncovered after the same content was stored again and removed',
      [marker('m', 6), content('b', 5, 'same'), content('a', -5, 'same')],
      { kind: 'uncover', markers: ['m'] },
    ],
    ['has the content of the time, not an older one', [marker('m', 5), content('b', -1), content('a', -5)], { kind: 'uncover', markers: ['m'] }],
    ['has its first content when it was stored in the same second', [content('a', 0.01)], { kind: 'readable' }],
    ['is missing when only markers are left', [marker('m', 5)], { kind: 'missing' }],
    ['is missing when nothing is left', [], { kind: 'missing' }],
  ])('%s', (_, versions, repair) => {
    expect(repairOf(versions, time)).toEqual(repair);
  });

  test('is as it was after the repair: a second call changes nothing', () => {
    const [repaired, uncovered] = [[content('c', 9, 'a'), content('b', 5), content('a', -5)], [content('a', -5)]];
    for (const versions of [repaired, uncovered]) expect(repairOf(versions, time)).toEqual({ kind: 'readable' });
  });
});

/** A bucket with versions, the newest first, as S3 keeps them. A page of a listing has two versions. */
const versionedBucket = (objects: Record<string, ObjectVersion[]>) => {
  const s3 = new S3Client({ region: 'us-east-1' });
  let copies = 0;
  s3.send = async (command: GetBucketVersioningCommand | ListObjectVersionsCommand | CopyObjectCommand | DeleteObjectCommand) => {
    if (command instanceof GetBucketVersioningCommand) return { Status: 'Enabled' };
    if (command instanceof CopyObjectCommand) {
      const { Key, CopySource } = command.input;
      const { etag } = objects[Key!]!.find(({ id }) => id === CopySource!.split('versionId=')[1])!;
      objects[Key!]!.unshift({ id: `copy-${++copies}`, modified: at(60), isMarker: false, etag });
      return {};
    }
    if (command instanceof DeleteObjectCommand) {
      objects[command.input.Key!] = objects[command.input.Key!]!.filter(({ id }) => id !== command.input.VersionId);
      return {};
    }
    const { Prefix, KeyMarker, VersionIdMarker } = command.input;
    const all = Object.keys(objects)
      .sort()
      .filter((key) => key.startsWith(Prefix!))
      .flatMap((Key) =>
        objects[Key]!.map((version, index) => ({
          Key,
          VersionId: version.id,
          LastModified: version.modified,
          ETag: version.etag,
          IsLatest: index === 0,
          isMarker: version.isMarker,
        })),
      );
    const from = KeyMarker === undefined ? 0 : all.findIndex(({ Key, VersionId }) => Key === KeyMarker && VersionId === VersionIdMarker) + 1;
    const page = all.slice(from, from + 2);
    return {
      Versions: page.filter(({ isMarker }) => !isMarker),
      DeleteMarkers: page.filter(({ isMarker }) => isMarker),
      IsTruncated: from + 2 < all.length,
      NextKeyMarker: page.at(-1)?.Key,
      NextVersionIdMarker: page.at(-1)?.VersionId,
    };
  };
  const dependencies = { clients: { s3 }, time, say: () => undefined } as unknown as RestoreDependencies;
  return { restore: (named: readonly string[]) => restoreMessages(dependencies, 'mail', new Set(named)) };
};

describe('the raw messages of a restore', () => {
  const objects = (): Record<string, ObjectVersion[]> => ({
    'messages/a/kept': [content('k', -5)],
    'messages/a/later': [content('l', 5)],
    'messages/a/overwritten': [content('y', 7), content('x', 5), content('o', -5)],
    'messages/a/removed': [marker('m', 5), content('r', -5)],
    'messages/a/older': [content('z', -50)],
  });
  const named = ['kept', 'overwritten', 'removed', 'gone'].map((name) => `messages/a/${name}`);

  test('have the content of the time again, and keep every content that came after it', async () => {
    const stored = objects();
    expect(await versionedBucket(stored).restore(named)).toEqual({ readable: 1, repaired: 2, missing: ['messages/a/gone'], later: ['messages/a/later'] });
    expect(stored['messages/a/overwritten']!.map(({ etag }) => etag)).toEqual(['o', 'y', 'x', 'o']);
    expect(stored['messages/a/removed']!.map(({ id }) => id)).toEqual(['r']);
  });

  test('are changed once: the next call finds them readable', async () => {
    const bucket = versionedBucket(objects());
    await bucket.restore(named);
    expect(await bucket.restore(named)).toMatchObject({ readable: 3, repaired: 0 });
  });
});
