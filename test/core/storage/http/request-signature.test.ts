import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import * as fc from 'fast-check';
import { requestSigner } from '../../../../core/storage/http/request-signature.ts';
import { assertProperty } from '../../../support/assert-property.ts';

const signatureOf = (headers: Record<string, string>): string => /Signature=([0-9a-f]{64})$/.exec(headers['authorization']!)![1]!;

describe('requestSigner signs AWS’s own examples of Signature Version 4', () => {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

  test.each([
    ['GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ] as const)('a %s request of the test suite', (method, signature) => {
    const sign = requestSigner('service', 'us-east-1', () => credentials);
    const signed = sign({ method, host: 'example.amazonaws.com', path: '/', headers: {} }, new Date('2015-08-30T12:36:00Z'));
    expect(signed).toMatchObject({ host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' });
    expect(signatureOf(signed)).toBe(signature);
  });

  test('a GET of a range of an object of S3', () => {
    const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
    const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    const headers = { range: 'bytes=0-9', 'x-amz-content-sha256': emptyHash };
    const request = { method: 'GET', host: 'examplebucket.s3.amazonaws.com', path: '/test.txt', headers } as const;
    const signed = requestSigner('s3', 'us-east-1', () => keys)(request, new Date('2013-05-24T00:00:00Z'));
    expect(signatureOf(signed)).toBe('f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41');
  });

  test('with the environment’s current keys and session token', () => {
    let keys: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string } = credentials;
    const sign = requestSigner('dynamodb', 'us-east-1', () => keys);
    const request = { method: 'POST', host: 'dynamodb.us-east-1.amazonaws.com', path: '/', headers: {}, body: '{}' } as const;
    const signed = () => sign(request, new Date('2026-11-22T08:38:00Z'));
    const first = signed();
    keys = { ...credentials, secretAccessKey: 'rotated', sessionToken: 'session' };
    const second = signed();
    expect(signatureOf(second)).not.toBe(signatureOf(first));
    expect([first['x-amz-security-token'], second['x-amz-security-token']]).toEqual([undefined, 'session']);
  });
});

/** SHA-256 and its HMAC, as AWS's signer requires them. */
class Sha256 {
  #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as string);
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(data as string);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {}
}

test('requestSigner signs any request as AWS’s own signer does', async () => {
  const word = fc.stringMatching(/^[!-~]{1,20}$/);
  const headers = fc.dictionary(fc.stringMatching(/^x-amz-[a-z][a-z0-9-]{0,8}$/), word, { maxKeys: 4 });
  await assertProperty(
    fc.asyncProperty(
      fc.record({ accessKeyId: word, secretAccessKey: word, sessionToken: fc.option(word, { nil: undefined }) }),
      fc.record({ method: fc.constantFrom('GET', 'POST'), path: fc.webPath().map((path) => `/${path}`), headers, body: fc.string({ unit: 'binary' }) }),
      fc.date({ min: new Date('2000-01-01'), max: new Date('2090-01-01'), noInvalidDate: true }),
      async (keys, { method, ...rest }, now) => {
        const request = { ...rest, method, host: 'dynamodb.us-east-1.amazonaws.com' };
        const aws = new SignatureV4({
          service: 'dynamodb',
          region: 'us-east-1',
          sha256: Sha256,
          applyChecksum: false,
          uriEscapePath: false,
          credentials: {
            accessKeyId: keys.accessKeyId,
            secretAccessKey: keys.secretAccessKey,
            ...(keys.sessionToken !== undefined && { sessionToken: keys.sessionToken }),
          },
        });
        const { host: hostname, ...more } = request;
        const expected = await aws.sign(
          { ...more, hostname, protocol: 'https:', query: {}, headers: { ...request.headers, host: hostname } },
          { signingDate: now },
        );
        expect(requestSigner('dynamodb', 'us-east-1', () => keys)(request, now)).toEqual(expected.headers);
      },
    ),
    { numRuns: 15 },
  );
});
