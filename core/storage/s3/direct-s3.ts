import { isIP } from 'node:net';
import { directSender, lambdaTarget, type DirectTarget, type SendDirectly } from '../http/direct-request.ts';
import { wholeSize, type StoredObject } from '../objects.ts';

/**
 * Reads a range of an object, `end` exclusive.
 * @returns undefined after any error: then the SDK must read the range.
 */
export type ReadRange = (key: string, range: { readonly start: number; readonly end: number }) => Promise<StoredObject | undefined>;

/** A key as a path. Each of its components is encoded once (S3 API Reference, "Create a canonical request"). */
const pathOf = (key: string): string =>
  encodeURIComponent(key)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');

/**
 * The host and path of the bucket: a separate host in AWS, a path at an IP address.
 * @returns undefined for a bucket with a dot, and for another host name as endpoint. Only the SDK can reach these.
 */
const bucketTarget = (bucket: string, target: DirectTarget): { readonly target: DirectTarget; readonly prefix: string } | undefined => {
  const { endpoint } = target;
  if (isIP(endpoint.hostname)) return { target, prefix: `/${bucket}/` };
  if (bucket.includes('.') || !endpoint.hostname.endsWith('.amazonaws.com')) return undefined;
  return { target: { ...target, endpoint: new URL(`https://${bucket}.${endpoint.host}`) }, prefix: '/' };
};

/**
 * Makes a function that reads ranges without the SDK, which takes many times as long.
 * @returns undefined when only the SDK can reach the bucket.
 */
export const directRangeReader = (
  bucket: string,
  target: DirectTarget | undefined = lambdaTarget('s3'),
  sender: (target: DirectTarget) => SendDirectly = directSender,
): ReadRange | undefined => {
  const reached = target && bucketTarget(bucket, target);
  if (!reached) return undefined;
  const send = sender(reached.target);
  return async (key, { start, end }) => {
    const headers = { range: `bytes=${start}-${end - 1}`, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    const response = await send({ method: 'GET', path: `${reached.prefix}${pathOf(key)}`, headers }).catch(() => undefined);
    if (response?.status !== 206) return undefined;
    const {
      body: bytes,
      headers: { 'content-range': contentRange, 'content-type': type },
    } = response;
    return { bytes, size: wholeSize(contentRange) ?? bytes.length, ...(type !== undefined && { type }) };
  };
};
