import { createHash } from 'node:crypto';
import { CreateBucketCommand, GetObjectCommand, ListObjectVersionsCommand, PutBucketVersioningCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { s3Objects } from '../../../../core/storage/s3/s3-objects.ts';
import { objectsSuite } from '../../../port-suites/objects-suite.ts';
import { startTestEmulator } from '../../../support/test-emulator.ts';

let emulator: Awaited<ReturnType<typeof startTestEmulator>>;

beforeAll(async () => {
  emulator = await startTestEmulator();
  await new S3Client().send(new CreateBucketCommand({ Bucket: 'mail' }));
  await new S3Client().send(new PutBucketVersioningCommand({ Bucket: 'mail', VersioningConfiguration: { Status: 'Enabled' } }));
});
afterAll(() => emulator?.stop());

describe('the mail bucket in S3', () => {
  objectsSuite(async () => ({
    objects: s3Objects('mail'),
    async earlierVersions(key) {
      const s3 = new S3Client();
      const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: 'mail', Prefix: key }));
      const earlier = Versions.filter(({ Key, IsLatest }) => Key === key && !IsLatest).toReversed();
      return Promise.all(
        earlier.map(async ({ VersionId }) => {
          const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'mail', Key: key, VersionId }));
          return Buffer.from(await Body!.transformToByteArray());
        }),
      );
    },
  }));

  test('refuses bytes without the announced checksum', async () => {
    const crc = Buffer.alloc(4).toString('base64');
    const put = new PutObjectCommand({ Bucket: 'mail', Key: 'messages/acc_1/broken', Body: createHash('sha1').digest(), ChecksumCRC32: crc });
    await expect(new S3Client().send(put)).rejects.toThrow(/checksum/i);
    expect(await s3Objects('mail').size('messages/acc_1/broken')).toBeUndefined();
  });
});
