import { blobGet, blobLookup, blobUpload } from '../../../contract/jmap/blob.ts';
import { customMethod, type NamedMethod } from '../protocol/method.ts';
import { getBlobs } from './get-blobs.ts';
import { lookupBlobs } from './lookup-blobs.ts';
import { uploadBlobs } from './upload-blobs.ts';

/**
 * The methods of the blob capability (RFC 9404). Blob is no record type: blobs have no state, and are neither listed nor
 * changed nor destroyed.
 */
export const blobMethods: readonly NamedMethod[] = [
  customMethod(blobUpload, uploadBlobs),
  customMethod(blobGet, getBlobs),
  customMethod(blobLookup, lookupBlobs),
];
