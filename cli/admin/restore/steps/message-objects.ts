import { CopyObjectCommand, DeleteObjectCommand, GetBucketVersioningCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';
import { CliError } from '../../../terminal/cli-error.ts';
import type { RestoreDependencies } from '../restore-clients.ts';

/** A version of an object, or a delete marker, which makes the object unreadable while it is the newest version. */
export type ObjectVersion = { readonly id: string; readonly modified: Date; readonly isMarker: boolean; readonly etag?: string | undefined };

/** The repair that makes an object readable with the content that it had at a time. */
export type ObjectRepair =
  | { readonly kind: 'readable' }
  | { readonly kind: 'missing' }
  /** The delete markers on top of the content go. */
  | { readonly kind: 'uncover'; readonly markers: readonly string[] }
  /** The content of an earlier version becomes a new version. */
  | { readonly kind: 'copy'; readonly version: string };

/**
 * Decides how an object becomes readable with the content that it had at a time. When it was stored only later, its
 * first content is taken.
 * @param versions of one object, the newest first.
 */
export const repairOf = (versions: readonly ObjectVersion[], time: Date): ObjectRepair => {
  const contents = versions.filter(({ isMarker }) => !isMarker);
  const wanted = contents.find(({ modified }) => modified <= time) ?? contents.at(-1);
  if (!wanted) return { kind: 'missing' };
  const top = versions.findIndex(({ isMarker }) => !isMarker);
  const isTop = versions[top] === wanted || (wanted.etag !== undefined && versions[top]!.etag === wanted.etag);
  if (!isTop) return { kind: 'copy', version: wanted.id };
  return top === 0 ? { kind: 'readable' } : { kind: 'uncover', markers: versions.slice(0, top).map(({ id }) => id) };
};

/** The raw messages of a restore, in numbers and by key. */
export type RestoredMessages = {
  readable: number;
  repaired: number;
  readonly missing: string[];
  /**
   * Messages that no restored table names and that were stored after the time: mail that came after it. They are
   * readable too, but in no account.
   */
  readonly later: string[];
};

/** Calls `visit` for each object with the prefix, with all of its versions, the newest first. */
const eachObject = async (
  s3: S3Client,
  Bucket: string,
  Prefix: string,
  visit: (key: string, versions: readonly ObjectVersion[]) => Promise<void>,
): Promise<void> => {
  let open: { readonly key: string; readonly versions: ObjectVersion[] } | undefined;
  const close = async (): Promise<void> => {
    if (open)
      await visit(
        open.key,
        open.versions.toSorted((one, other) => other.modified.getTime() - one.modified.getTime()),
      );
    open = undefined;
  };
  for (let at: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {}; ;) {
    const page = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix, ...at }));
    const found = [
      ...(page.Versions ?? []).map((each) => ({ ...each, isMarker: false, etag: each.ETag })),
      ...(page.DeleteMarkers ?? []).map((each) => ({ ...each, isMarker: true, etag: undefined })),
    ].sort((one, other) => (one.Key! < other.Key! ? -1 : one.Key! > other.Key! ? 1 : Number(other.IsLatest) - Number(one.IsLatest)));
    for (const { Key, VersionId, LastModified, isMarker, etag } of found) {
      if (open?.key !== Key) await close();
      open ??= { key: Key!, versions: [] };
      open.versions.push({ id: VersionId!, modified: LastModified!, isMarker, etag });
    }
    if (!page.IsTruncated) return close();
    at = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
  }
};

const repair = async (s3: S3Client, Bucket: string, key: string, found: ObjectRepair): Promise<void> => {
  if (found.kind === 'copy') {
    const source = `${Bucket}/${key.split('/').map(encodeURIComponent).join('/')}?versionId=${encodeURIComponent(found.version)}`;
    await s3.send(new CopyObjectCommand({ Bucket, Key: key, CopySource: source }));
  }
  // The content stays as it is: only the markers on top of it go.
  if (found.kind === 'uncover') for (const VersionId of found.markers) await s3.send(new DeleteObjectCommand({ Bucket, Key: key, VersionId }));
};

/**
 * Makes the raw messages readable that the restored tables name. No content is overwritten or deleted, so the old
 * tables stay usable. An interrupted call is repeated.
 * @throws CliError for a bucket that keeps no versions.
 */
export const restoreMessages = async (
  { clients: { s3 }, time, say }: RestoreDependencies,
  bucket: string,
  named: ReadonlySet<string>,
): Promise<RestoredMessages> => {
  const { Status } = await s3.send(new GetBucketVersioningCommand({ Bucket: bucket }));
  if (Status !== 'Enabled') throw new CliError(`the bucket ${bucket} keeps no versions: removed messages can't be made readable. Deploy this release first`);
  const result: RestoredMessages = { readable: 0, repaired: 0, missing: [], later: [] };
  const found = new Set<string>();
  for (const folder of ['messages/', 'media/', 'outgoing/']) {
    await eachObject(s3, bucket, folder, async (key, versions) => {
      if (!named.has(key)) {
        const isLater = folder === 'messages/' && versions.some(({ isMarker }) => !isMarker) && versions.at(-1)!.modified > time;
        if (!isLater) return;
        // A program that deleted the accounts may have deleted their newest messages too.
        await repair(s3, bucket, key, repairOf(versions, time));
        result.later.push(key);
        return;
      }
      found.add(key);
      const needed = repairOf(versions, time);
      if (needed.kind === 'missing') {
        result.missing.push(key);
        return;
      }
      await repair(s3, bucket, key, needed);
      result[needed.kind === 'readable' ? 'readable' : 'repaired'] += 1;
      if ((result.readable + result.repaired) % 10_000 === 0) say(`  ${result.readable + result.repaired} messages`);
    });
  }
  result.missing.push(...[...named].filter((key) => !found.has(key)));
  return result;
};
