import { connect } from 'node:tls';

/** Reads the certificates that hosts serve. Adapter: {@link tlsServedCertificates}. */
export type ServedCertificates = {
  /** Returns the time at which the certificate of a host expires. @throws Error if the host does not respond. */
  expiry(hostName: string): Promise<Date>;
};

/** Milliseconds for a TLS handshake. */
const handshakeTimeout = 5_000;

/** {@link ServedCertificates} by a TLS handshake. It also reads certificates that are not valid. */
export const tlsServedCertificates = (port = 443, host?: string): ServedCertificates => ({
  expiry: (hostName) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: host ?? hostName, port, servername: hostName, rejectUnauthorized: false, timeout: handshakeTimeout }, () => {
        const { valid_to: validTo } = socket.getPeerCertificate();
        socket.destroy();
        if (validTo) resolve(new Date(validTo));
        else reject(new Error('the host served no certificate'));
      });
      socket.on('timeout', () => socket.destroy(new Error('the TLS handshake took too long')));
      socket.on('error', reject);
    }),
});
