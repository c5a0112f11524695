import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { lambda, ref, withEmulator } from '../../support/test-emulator.ts';

/** Requests https://<host>:<port>/. @returns the status, or the code of the error. */
const asking = `
exports.handler = ({ host, port, servername }) => new Promise((done) => {
  const request = require('https').request({ host, port, servername, path: '/', agent: false }, (response) => { done(String(response.statusCode)); response.destroy(); });
  request.on('error', (error) => done(error.code));
  request.end();
});`;

const fixture = withEmulator();
let server: Server;
let ask: (host: string, servername?: string) => Promise<unknown>;
beforeAll(async () => {
  const { trusted } = fixture.emulator;
  server = createServer({ cert: readFileSync(trusted.certificate), key: readFileSync(trusted.key) }, (_request, response) => response.writeHead(204).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { asker } = await fixture.deploy({ Resources: lambda('Asker', asking), Outputs: { asker: { Value: ref('Asker') } } });
  const client = new LambdaClient(fixture.clientConfig);
  ask = async (host, servername = '') => {
    const { Payload } = await client.send(new InvokeCommand({ FunctionName: asker, Payload: JSON.stringify({ host, port, servername }) }));
    return JSON.parse(Buffer.from(Payload!).toString()) as unknown;
  };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('HTTPS from a Lambda to a server on this machine', () => {
  test.each([
    ['127.0.0.1', ''],
    ['127.0.0.1', 'localhost'],
    ['127.0.0.1', 'push.loopback.test'],
  ])('trusts the certificate at %s with the server name %j', async (host, name) => {
    expect(await ask(host, name)).toBe('204');
  });

  test('refuses the certificate for any other name', async () => {
    expect(await ask('127.0.0.1', 'other.loopback.test')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });
});
