import { DeleteObjectsCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { property, type CustomResourceAction } from '../../../core/runtime/custom-resource.ts';

type S3 = Pick<S3Client, 'send'>;

/** Removes every object; a thousand at a time, always from the start, because what was listed is gone then. */
const removeObjects = async (s3: S3, bucket: string): Promise<void> => {
  for (;;) {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
    if (Contents.length === 0) return;
    const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Quiet: true, Objects: Contents.map(({ Key }) => ({ Key })) } }));
    if (Errors.length > 0) throw new Error(`${Errors.length} objects of the mail bucket could not be deleted: ${Errors[0]?.Code ?? 'unknown error'}`);
  }
};

/** Empties a bucket when its stack is removed, because CloudFormation deletes empty buckets only. Does nothing on Create and Update. */
export const empty = (s3: S3): CustomResourceAction => async (event) => {
  const bucket = property(event, 'bucketName');
  if (event.RequestType === 'Delete') await removeObjects(s3, bucket);
  return { physicalId: `emptied:${bucket}` };
};
