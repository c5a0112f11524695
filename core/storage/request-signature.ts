import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

/** Keys of an IAM principal; a role's have a session token. */
export type AwsCredentials = { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string | undefined };

/** A request to a service of AWS. Header names are in lower case; `path` is encoded as the service's signatures need it. */
export type SignableRequest = {
  readonly method: 'GET' | 'POST';
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

type Octets = ArrayBuffer | ArrayBufferView | string;
const octetsOf = (data: Octets): Uint8Array | string =>
  (typeof data === 'string' ? data : ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data));

/** SHA-256 and its HMAC by Node.js, in the form that the signer of the SDK takes. */
class Sha256 {
  readonly #secret: Octets | undefined;
  #hash!: Hash | Hmac;

  constructor(secret?: Octets) {
    this.#secret = secret;
    this.reset();
  }

  update(data: Octets): void {
    this.#hash.update(octetsOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  reset(): void {
    this.#hash = this.#secret === undefined ? createHash('sha256') : createHmac('sha256', octetsOf(this.#secret));
  }
}

/**
 * Signs requests to one service in one region by Signature Version 4 (IAM User Guide, "Create a signed AWS API
 * request"), with the signer of the SDK.
 * @returns a function from a request without query to its headers, with host, date, session token and signature.
 */
export const requestSigner = (service: string, region: string, credentials: () => AwsCredentials) => {
  const signer = new SignatureV4({
    service, region, sha256: Sha256, applyChecksum: false, uriEscapePath: false,
    credentials: () => {
      const { accessKeyId, secretAccessKey, sessionToken } = credentials();
      return Promise.resolve({ accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) });
    },
  });
  return async ({ method, host, path, headers, body }: SignableRequest, now: Date): Promise<Record<string, string>> => {
    const request = { method, protocol: 'https:', hostname: host, path, query: {}, headers: { ...headers, host }, body };
    return (await signer.sign(request, { signingDate: now })).headers;
  };
};
