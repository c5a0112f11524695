import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyAndCertificate } from './self-signed-certificate.ts';

type TlsServer = { readonly port: number; close(): void };

/**
 * A TLS server in front of the session, for clients that read the session only by https. The URLs in the session are
 * unchanged.
 */
export const tlsServer = async (sessionUrl: string, certificate: KeyAndCertificate): Promise<TlsServer> => {
  const server = createServer({ key: certificate.key, cert: certificate.certificate }, (incoming, response) => {
    const url = new URL(incoming.url!, sessionUrl);
    incoming.pipe(
      request(url, { method: incoming.method, headers: { ...incoming.headers, host: url.host } }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
