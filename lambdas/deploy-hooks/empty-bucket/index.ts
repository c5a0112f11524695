import { DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { customResource, property, type CustomResourceAction } from '../../../core/runtime/lambda/custom-resource.ts';

/** Deletes every object, a thousand at a time. Each listing starts anew, because the objects of the last one are deleted. */
const deleteObjects = async (s3: Pick<S3Client, 'send'>, bucket: string): Promise<void> => {
  for (;;) {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
    if (Contents.length === 0) return;
    const objects = Contents.map(({ Key }) => ({ Key }));
    const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Quiet: true, Objects: objects } }));
    if (Errors.length > 0) {
      throw new Error(`${Errors.length} objects of the mail bucket could not be deleted: ${Errors[0]?.Code ?? 'unknown error'}`);
    }
  }
};

/**
 * Empties the bucket when its stack is removed, because CloudFormation can only delete an empty bucket. Create and
 * Update change nothing.
 */
export const emptyBucket = (s3: Pick<S3Client, 'send'>): CustomResourceAction => async (event) => {
  const bucket = property(event, 'bucketName');
  if (event.RequestType === 'Delete') await deleteObjects(s3, bucket);
  return { physicalId: `emptied:${bucket}` };
};

export const handler = customResource('empty-bucket', emptyBucket(new S3Client()));
