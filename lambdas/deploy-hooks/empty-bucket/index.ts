import { invoked } from '../../../core/runtime/invocation.ts';
import { customResource, property, type CustomResourceAction } from '../../../core/runtime/lambda/custom-resource.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import { sdkObjects } from '../../../core/storage/s3/sdk-objects.ts';

/**
 * Empties the bucket on Delete, with all versions, because CloudFormation deletes only empty buckets. Each listing starts
 * from the beginning, because the listed versions are then deleted.
 */
export const emptyBucket =
  (objectsIn: (bucket: string) => Pick<Objects, 'eraseSome'>): CustomResourceAction =>
  async (event) => {
    const bucket = property(event, 'bucketName');
    if (event.RequestType === 'Delete') {
      const objects = objectsIn(bucket);
      while ((await objects.eraseSome('')) > 0);
    }
    return { physicalId: `emptied:${bucket}` };
  };

export const handler = invoked(
  customResource(
    'empty-bucket',
    emptyBucket((bucket) => sdkObjects(bucket)),
  ),
);
