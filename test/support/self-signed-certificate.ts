import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** Certificate and private key in PEM. */
export type KeyAndCertificate = { readonly certificate: string; readonly key: string };

/** DER (X.690 §8): tag, length, content. */
const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const octets: number[] = [];
  for (let rest = content.length; rest > 0; rest >>= 8) octets.unshift(rest & 0xff);
  const length = content.length < 128 ? [content.length] : [0x80 | octets.length, ...octets];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...contents: readonly Uint8Array[]) => der(0x30, ...contents);
const objectId = (...octets: readonly number[]) => der(0x06, Uint8Array.from(octets));
const time = (at: number) => der(0x18, Buffer.from(new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '')));

const ecdsaWithSha256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const commonName = objectId(0x55, 0x04, 0x03);
const subjectAlternativeName = objectId(0x55, 0x1d, 0x11);

const hour = 3_600_000;

const alternative = (name: string) => (isIP(name) === 4 ? der(0x87, Uint8Array.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name)));

/** A self-signed certificate for these names and IPv4 addresses, valid for an hour (RFC 5280 §4.1). */
export const selfSignedCertificate = (...names: readonly string[]): KeyAndCertificate => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)]);
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(`test ${serial.toString('hex')}`)))));
  const now = Date.now();
  const toSign = sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, serial),
    ecdsaWithSha256,
    name,
    sequence(time(now - hour), time(now + hour)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(subjectAlternativeName, der(0x04, sequence(...names.map(alternative)))))),
  );
  const signature = sign('sha256', toSign, privateKey);
  const certificate = sequence(toSign, ecdsaWithSha256, der(0x03, Uint8Array.of(0), signature))
    .toString('base64')
    .replaceAll(/.{64}(?!$)/g, '$&\n');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
};
