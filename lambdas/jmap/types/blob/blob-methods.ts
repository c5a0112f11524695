import { blobCopy, blobGet, blobLookup, blobUpload } from '../../../../contract/jmap/blob.ts';
import { customMethod, type NamedMethod } from '../../request/method.ts';
import { copyBlobs } from './copy-blobs.ts';
import { getBlobs } from './get-blobs.ts';
import { lookupBlobs } from './lookup-blobs.ts';
import { uploadBlobs } from './upload-blobs.ts';

/**
 * The methods of the blob capability (RFC 9404), and Blob/copy of the core (RFC 8620 §6.3). Blob is no record type:
 * blobs have no state, and are neither listed nor changed nor destroyed.
 */
export const blobMethods: readonly NamedMethod[] = [
  customMethod(blobCopy, copyBlobs),
  customMethod(blobUpload, uploadBlobs),
  customMethod(blobGet, getBlobs),
  customMethod(blobLookup, lookupBlobs),
];
