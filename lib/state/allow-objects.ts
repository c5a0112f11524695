import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { allowActions } from '../lambda/allow-actions.ts';

/** Folders of the mail bucket. */
export type BucketFolder = 'inbound' | 'messages' | 'uploads' | 'media' | 'outgoing' | 'snapshots' | 'search';

type ObjectAction = 'GetObject' | 'PutObject' | 'DeleteObject' | 'DeleteObjectVersion';

/**
 * The actions on the bucket that belong to an action on objects. With `s3:ListBucket`, S3 responds with 404 instead of 403
 * for an object that does not exist. Versions are listed before they are deleted.
 */
const bucketActions: { readonly [Action in ObjectAction]?: string } = { GetObject: 's3:ListBucket', DeleteObjectVersion: 's3:ListBucketVersions' };

/** Allows actions on the objects of the folders. */
export const allowObjects = (grantee: IGrantable, bucket: IBucket, actions: readonly ObjectAction[], ...folders: BucketFolder[]): void => {
  allowActions(grantee, { actions: actions.map((action) => `s3:${action}`), resources: folders.map((folder) => bucket.arnForObjects(`${folder}/*`)) });
  const onBucket = actions.flatMap((action) => bucketActions[action] ?? []);
  if (onBucket.length > 0) allowActions(grantee, { actions: onBucket, resources: [bucket.bucketArn] });
};
