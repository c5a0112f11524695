import { hash } from 'node:crypto';
import { requestSigner } from '../../../core/storage/request-signature.ts';

const emptyHash = hash('sha256', '');

describe('requestSigner signs AWS’s own examples of Signature Version 4', () => {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

  test.each([
    ['GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ] as const)('a %s request of the test suite', (method, signature) => {
    const sign = requestSigner('service', 'us-east-1');
    const request = { method, host: 'example.amazonaws.com', path: '/', headers: {}, payloadHash: emptyHash };
    expect(sign(request, credentials, new Date('2015-08-30T12:36:00Z'))).toEqual({
      'host': 'example.amazonaws.com',
      'x-amz-date': '20150830T123600Z',
      'authorization': `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    });
  });

  test('a GET of a range of an object of S3', () => {
    const sign = requestSigner('s3', 'us-east-1');
    const headers = { 'range': 'bytes=0-9', 'x-amz-content-sha256': emptyHash };
    const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
    const request = { method: 'GET', host: 'examplebucket.s3.amazonaws.com', path: '/test.txt', headers, payloadHash: emptyHash } as const;
    expect(sign(request, keys, new Date('2013-05-24T00:00:00Z'))['authorization'])
      .toMatch(/SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/);
  });

  test('other keys and another day change the signature', () => {
    const sign = requestSigner('dynamodb', 'us-east-1');
    const request = { method: 'POST', host: 'dynamodb.us-east-1.amazonaws.com', path: '/', headers: {}, payloadHash: emptyHash } as const;
    const signatureOf = (keys: typeof credentials & { sessionToken?: string }, time: string) => sign(request, keys, new Date(time))['authorization'];
    const signatures = [
      signatureOf(credentials, '2026-11-21T08:38:00Z'), signatureOf(credentials, '2026-11-22T08:38:00Z'),
      signatureOf({ ...credentials, secretAccessKey: 'rotated' }, '2026-11-22T08:38:00Z'),
      signatureOf({ ...credentials, sessionToken: 'session' }, '2026-11-22T08:38:00Z'),
    ];
    expect(new Set(signatures).size).toBe(4);
    expect(signatureOf(credentials, '2026-11-21T08:38:00Z')).toBe(signatures[0]);
  });
});
