import { isIP } from 'node:net';
import { directSender, lambdaTarget, type DirectTarget, type SendDirectly } from '../http/direct-request.ts';
import { wholeSize, type StoredObject } from '../objects.ts';

/** Reads a range of an object, `end` exclusive. @returns undefined when the SDK must read it: for any error. */
export type ReadRange = (key: string, range: { readonly start: number; readonly end: number }) => Promise<StoredObject | undefined>;

/** A key as a path: each of its parts is encoded once (S3 API Reference, "Create a canonical request"). */
const pathOf = (key: string): string =>
  encodeURIComponent(key).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`).replaceAll('%2F', '/');

/**
 * Where the bucket is: at a host of its own in AWS, below its name at an IP address.
 * @returns undefined for a bucket with a dot, and for an endpoint with a name of its own: the SDK knows how to reach them.
 */
const bucketTarget = (bucket: string, target: DirectTarget): { readonly target: DirectTarget; readonly prefix: string } | undefined => {
  const { endpoint } = target;
  if (isIP(endpoint.hostname)) return { target, prefix: `/${bucket}/` };
  if (bucket.includes('.') || !endpoint.hostname.endsWith('.amazonaws.com')) return undefined;
  return { target: { ...target, endpoint: new URL(`https://${bucket}.${endpoint.host}`) }, prefix: '/' };
};

/** Reads ranges without the SDK, which takes many times as long for it. @returns undefined where only the SDK knows the bucket. */
export const directRangeReader = (
  bucket: string, target: DirectTarget | undefined = lambdaTarget('s3'), sender: (target: DirectTarget) => SendDirectly = directSender,
): ReadRange | undefined => {
  const reached = target && bucketTarget(bucket, target);
  if (!reached) return undefined;
  const send = sender(reached.target);
  return async (key, { start, end }) => {
    const headers = { 'range': `bytes=${start}-${end - 1}`, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    const response = await send({ method: 'GET', path: `${reached.prefix}${pathOf(key)}`, headers }).catch(() => undefined);
    if (response?.status !== 206) return undefined;
    const { body: bytes, headers: { 'content-range': contentRange, 'content-type': type } } = response;
    return { bytes, size: wholeSize(contentRange) ?? bytes.length, ...(type !== undefined && { type }) };
  };
};
