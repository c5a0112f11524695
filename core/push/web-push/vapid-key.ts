import { createECDH, hkdfSync } from 'node:crypto';

/** The key pair by which push services identify this deployment (RFC 8292 §3.2, RFC 9749 §3); both base64url. */
export type VapidKey = {
  /** Uncompressed point of P-256: the `applicationServerKey` of a browser's subscription. */
  readonly publicKey: string;
  readonly privateKey: string;
};

/** Order of P-256 (FIPS 186-4 D.1.2.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * Derives the key pair from a secret, deterministically, because CloudFormation can generate a random secret but no key
 * pair. 48 octets of HKDF, reduced modulo the order, have no significant bias (FIPS 186-4 B.4.1).
 */
export const deriveVapidKey = (secret: string): VapidKey => {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', 'VAPID P-256 key', 48));
  const scalar = (BigInt(`0x${seed.toString('hex')}`) % (order - 1n)) + 1n;
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex'));
  return { publicKey: curve.getPublicKey('base64url', 'uncompressed'), privateKey: curve.getPrivateKey('base64url') };
};
