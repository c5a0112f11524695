import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { deriveVapidKey } from '../../../../core/push/web-push/vapid-key.ts';

describe('deriveVapidKey', () => {
  const { publicKey, privateKey } = deriveVapidKey('a secret of sixty-four characters');
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', x, y };

  test('returns an uncompressed point of P-256 and its scalar', () => {
    expect(Buffer.from(publicKey, 'base64url')).toHaveLength(65);
    expect(Buffer.from(publicKey, 'base64url')[0]).toBe(4);
    expect(Buffer.from(privateKey, 'base64url')).toHaveLength(32);
  });

  test('returns a private key whose signatures the public key verifies', () => {
    const signature = sign('sha256', Buffer.from('header.claims'), createPrivateKey({ key: { ...jwk, d: privateKey }, format: 'jwk' }));
    expect(verify('sha256', Buffer.from('header.claims'), createPublicKey({ key: jwk, format: 'jwk' }), signature)).toBe(true);
  });

  test('returns the same key for the same secret, and another key for another secret', () => {
    expect(deriveVapidKey('a secret of sixty-four characters')).toEqual({ publicKey, privateKey });
    expect(deriveVapidKey('another').publicKey).not.toBe(publicKey);
  });
});
