import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { tlsServedCertificates } from '../../../../core/runtime/http/served-certificates.ts';
import { selfSignedCertificate } from '../../../support/self-signed-certificate.ts';

let server: Server;
afterEach(() => new Promise((closed) => server.close(closed)));

const listen = async (): Promise<number> => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
};

test('the expiry of an untrusted certificate can be read', async () => {
  const { certificate: cert, key } = selfSignedCertificate('jmap.example.test');
  server = createServer({ cert, key });
  const certificates = tlsServedCertificates(await listen(), '127.0.0.1');
  expect(await certificates.expiry('jmap.example.test')).toEqual(new Date(new X509Certificate(cert).validTo));
});

test('a host without a certificate is an error', async () => {
  server = createServer({});
  const certificates = tlsServedCertificates(await listen(), '127.0.0.1');
  await expect(certificates.expiry('jmap.example.test')).rejects.toThrow();
});
