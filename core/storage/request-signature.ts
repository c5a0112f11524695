import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

/** Keys of an IAM principal; a role's have a session token. */
export type AwsCredentials = { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string | undefined };

/** A request to a service of AWS. Header names are in lower case; `path` is encoded as the service's signatures need it. */
export type SignableRequest = {
  readonly method: 'GET' | 'POST';
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hexadecimal. */
  readonly payloadHash: string;
};

const algorithm = 'AWS4-HMAC-SHA256';

const hmac = (key: KeyObject | Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * Signs requests to one service in one region by Signature Version 4 (IAM User Guide, "Create a signed AWS API
 * request"). The signing key is derived once a day.
 * @returns a function from a request without query to its headers, with host, date, session token and signature.
 */
export const requestSigner = (service: string, region: string) => {
  let signing: { readonly date: string; readonly secret: string; readonly key: KeyObject } | undefined;
  const signingKey = (date: string, secret: string): KeyObject => {
    if (signing?.date !== date || signing.secret !== secret) {
      const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), service), 'aws4_request');
      signing = { date, secret, key: createSecretKey(key) };
    }
    return signing.key;
  };
  return (
    { method, host, path, headers, payloadHash }: SignableRequest,
    { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
    now: Date,
  ): Record<string, string> => {
    const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
    const date = time.slice(0, 8);
    const signed: Record<string, string> = {
      ...headers, host, 'x-amz-date': time, ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
    };
    const names = Object.keys(signed).sort();
    const canonicalHeaders = names.map((name) => `${name}:${signed[name]}\n`).join('');
    const signedNames = names.join(';');
    const scope = `${date}/${region}/${service}/aws4_request`;
    const canonical = `${method}\n${path}\n\n${canonicalHeaders}\n${signedNames}\n${payloadHash}`;
    const signature = createHmac('sha256', signingKey(date, secretAccessKey))
      .update(`${algorithm}\n${time}\n${scope}\n${hash('sha256', canonical)}`).digest('hex');
    signed['authorization'] = `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedNames}, Signature=${signature}`;
    return signed;
  };
};
