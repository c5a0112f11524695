import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type ObjectIdentifier,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { namingErrors } from '../../runtime/sdk-client.ts';
import { wholeSize, type ListedObject, type Objects } from '../objects.ts';

/**
 * Timeouts of one attempt of a call in milliseconds, well under a Lambda's own timeout. `socketTimeout` is the maximum
 * time without an octet in either direction, so the transfer of a large object may take longer.
 */
export const clientTimeouts = { connectionTimeout: 1_000, socketTimeout: 5_000 };

/** Maximum attempts of one call. */
export const attempts = 3;

/** Creates a client. @param settings override the defaults. */
export const s3Client = (settings: S3ClientConfig = {}): S3Client =>
  namingErrors(new S3Client({ maxAttempts: attempts, requestHandler: clientTimeouts, ...settings }));

/** S3's error names for a missing object, which depend on the call. */
const isMissing = (error: unknown): boolean => error instanceof Error && ['NoSuchKey', 'NotFound', '404'].includes(error.name);

const isBeyondTheEnd = (error: unknown): boolean => error instanceof Error && error.name === 'InvalidRange';

/** Awaits a call. @returns its result; undefined if the object does not exist. */
const unlessMissing = async <T>(attempt: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await attempt();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/**
 * Makes {@link Objects} for an S3 bucket with the SDK. S3 checks and stores a CRC-32 of every upload. The SDK verifies
 * it for each object that is read whole, and throws if the content differs.
 */
export const sdkObjects = (bucket: string, client: S3Client = s3Client()): Objects => {
  const size = (key: string) => unlessMissing(async () => (await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))).ContentLength ?? 0);
  const emptyRange = async (key: string) => {
    const whole = await size(key);
    return whole === undefined ? undefined : { bytes: Buffer.alloc(0), size: whole };
  };
  const list = async (prefix: string): Promise<readonly ListedObject[]> => {
    const { Contents: found = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
    return found.map(({ Key, LastModified }) => ({ key: Key!, modified: LastModified! }));
  };
  /** Deletes these versions. @param found at most 1000. */
  const deleteThousand = async (found: ObjectIdentifier[]): Promise<void> => {
    const { Errors: failed = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Quiet: true, Objects: found }, ChecksumAlgorithm: 'CRC32' }),
    );
    if (failed.length > 0) throw new Error(`${failed.length} objects could not be deleted: ${failed[0]?.Code ?? 'unknown error'}`);
  };
  /** Removes these objects. @param keys at most 1000. */
  const removeThousand = (keys: readonly string[]): Promise<void> => deleteThousand(keys.map((Key) => ({ Key })));
  /** Lists up to 1000 versions of objects with the prefix, including delete markers, in the order of their keys. */
  const listVersions = async (prefix: string): Promise<{ readonly Key: string; readonly VersionId: string }[]> => {
    const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix }));
    return [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key: Key!, VersionId: VersionId! }));
  };

  return {
    async get(key, range) {
      if (range && range.end <= range.start) return emptyRange(key);
      try {
        const answer = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: 'ENABLED', Range: range && `bytes=${range.start}-${range.end - 1}` }),
        );
        const bytes = Buffer.from(await answer.Body!.transformToByteArray());
        return { bytes, size: wholeSize(answer.ContentRange) ?? bytes.length, type: answer.ContentType };
      } catch (error) {
        if (isBeyondTheEnd(error)) return emptyRange(key);
        if (isMissing(error)) return undefined;
        throw error;
      }
    },

    async put(key, bytes, type) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes, ContentType: type, ChecksumAlgorithm: 'CRC32' }));
    },

    async copy(from, to) {
      const source = `${bucket}/${from.split('/').map(encodeURIComponent).join('/')}`;
      const answer = await unlessMissing(() => client.send(new CopyObjectCommand({ Bucket: bucket, CopySource: source, Key: to })));
      return answer !== undefined;
    },

    size,

    list,

    async remove(keys) {
      for (let from = 0; from < keys.length; from += 1000) await removeThousand(keys.slice(from, from + 1000));
    },

    async removeSome(prefix) {
      const found = await list(prefix);
      if (found.length > 0) await removeThousand(found.map(({ key }) => key));
      return found.length;
    },

    async erase(keys) {
      for (const key of keys) {
        // The versions of a key are listed before those of longer keys that begin with it.
        const versions = async () => (await listVersions(key)).filter(({ Key }) => Key === key);
        for (let found = await versions(); found.length > 0; found = await versions()) await deleteThousand(found);
      }
    },

    async eraseSome(prefix) {
      const found = await listVersions(prefix);
      if (found.length > 0) await deleteThousand(found);
      return found.length;
    },
  };
};
