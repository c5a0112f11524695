import { readFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { deployed } from './deployment.ts';

/**
 * The object behind a signed URL, or a range of it. A sandbox that enforces IAM has a certificate of its own.
 * @throws Error for another status than that of the object or of the range.
 */
export const readFromBucket = (url: string, range?: string): Promise<Buffer> => new Promise((resolve, reject) => {
  const ca = deployed.caCertificate && readFileSync(deployed.caCertificate);
  const headers = range === undefined ? {} : { range };
  const request = url.startsWith('https:') ? httpsGet(url, { ca, headers }) : httpGet(url, { headers });
  request.on('response', (response) => {
    if (response.statusCode === (range === undefined ? 200 : 206)) buffer(response).then(resolve, reject);
    else reject(new Error(`the bucket answers ${response.statusCode}`));
  }).on('error', reject);
});
