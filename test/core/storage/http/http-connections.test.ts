import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { httpConnections } from '../../../../core/storage/http/http-connections.ts';
import { selfSignedCertificate } from '../../../support/self-signed-certificate.ts';

const request = 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
const patient = { connectionTimeout: 5_000, requestTimeout: 5_000 };

const servers: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];
afterEach(() => {
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

/** Listens on a free port of this machine. @returns the port. */
const listen = async (server: Server): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  servers.push({ server, sockets });
  return (server.address() as AddressInfo).port;
};

/** Connections to a server that responds to each request with the next of these texts. */
const connectionsTo = async (answers: readonly string[], timeouts = patient) => {
  let connections = 0;
  let requests = 0;
  const port = await listen(
    createServer((socket) => {
      connections++;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        socket.write(answers[requests++]!);
      });
    }),
  );
  return { exchange: httpConnections(new URL(`http://127.0.0.1:${port}`), timeouts), connections: () => connections };
};

const whole = (body: string, head = '') => `HTTP/1.1 200 OK\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

describe('a response over a kept connection', () => {
  test('has its status, its headers by their lower-case names, and its octets', async () => {
    const { exchange } = await connectionsTo([whole('“é”', 'X-Amzn-RequestId:  abc \r\nVary: a\r\nvary: b\r\n')]);
    expect(await exchange(request)).toEqual({
      status: 200,
      headers: { 'x-amzn-requestid': 'abc', vary: 'a, b', 'content-length': '8' },
      body: Buffer.from('“é”'),
      attempts: 1,
    });
  });

  test('is read from chunks of any size', async () => {
    const body = 'octets '.repeat(20_000);
    const port = await listen(
      createServer((socket) => {
        void (async () => {
          socket.setNoDelay(true);
          const text = whole(body);
          for (const [start, end] of [
            [0, 1],
            [1, 20],
            [20, 36],
            [36, 39],
            [39, 50_000],
            [50_000, undefined],
          ] as const) {
            socket.write(text.slice(start, end));
            await pause(2);
          }
        })();
      }),
    );
    const { body: read } = await httpConnections(new URL(`http://127.0.0.1:${port}`), patient)(request);
    expect(read.toString()).toBe(body);
  });

  test('belongs to its request, when several are sent concurrently', async () => {
    const port = await listen(
      createHttpServer((incoming, outgoing) => {
        setTimeout(() => outgoing.writeHead(200, { 'content-length': incoming.url!.length }).end(incoming.url), incoming.url === '/a' ? 20 : 0);
      }),
    );
    const exchange = httpConnections(new URL(`http://127.0.0.1:${port}`), patient);
    const paths = ['/a', '/bb', '/ccc'];
    const send = (path: string) => exchange(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    for (let round = 0; round < 2; round++) {
      expect((await Promise.all(paths.map(send))).map(({ body }) => body.toString())).toEqual(paths);
    }
  });

  test.each([
    ['a connection that the server closes', whole('one', 'Connection: close\r\n')],
    ['a server of HTTP/1.0', whole('one').replace('1.1', '1.0')],
    ['more octets than the response has', `${whole('one')}more`],
  ])('is followed by a new connection after %s', async (_title, answer) => {
    const { exchange, connections } = await connectionsTo([answer, whole('two')]);
    expect((await exchange(request)).body.toString()).toBe('one');
    expect(await exchange(request)).toMatchObject({ body: Buffer.from('two'), attempts: 1 });
    expect(connections()).toBe(2);
  });
});

describe('a request fails', () => {
  test.each([
    ['has no length', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['is chunked', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['is chunked and has a length', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n'],
    ['has two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['has a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['has an endless head', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`],
  ])('when the response %s, and the next one has a new connection', async (_title, answer) => {
    const { exchange, connections } = await connectionsTo([answer, whole('two')]);
    await expect(exchange(request)).rejects.toThrow(/response/);
    expect((await exchange(request)).body.toString()).toBe('two');
    expect(connections()).toBe(2);
  });

  test('when no response comes in time, also on a connection that was idle for longer', async () => {
    const { exchange } = await connectionsTo([whole('one'), ''], { connectionTimeout: 5_000, requestTimeout: 30 });
    await exchange(request);
    await pause(60);
    await expect(exchange(request)).rejects.toMatchObject({ name: 'TimeoutError', message: 'no response in time' });
  });

  test('when the server refuses connections', async () => {
    const port = await listen(createServer());
    servers.pop()!.server.close();
    await expect(httpConnections(new URL(`http://127.0.0.1:${port}`), patient)(request)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

test('a connection on which the server writes without a request is not used again', async () => {
  let connections = 0;
  const port = await listen(
    createServer((socket) => {
      connections++;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        socket.write(whole('one'));
        if (connections === 1) setTimeout(() => socket.write(whole('forged')), 5);
      });
    }),
  );
  const exchange = httpConnections(new URL(`http://127.0.0.1:${port}`), patient);
  await exchange(request);
  await pause(30);
  expect((await exchange(request)).body.toString()).toBe('one');
  expect(connections).toBe(2);
});

test('a connection that was idle for more than 3 s is not used again', async () => {
  const { exchange, connections } = await connectionsTo([whole('one'), whole('two'), whole('three')]);
  await exchange(request);
  const answered = Date.now();
  const now = jest.spyOn(Date, 'now');
  try {
    now.mockReturnValue(answered + 2_000);
    await exchange(request);
    expect(connections()).toBe(1);
    now.mockReturnValue(answered + 5_001);
    expect(await exchange(request)).toMatchObject({ body: Buffer.from('three'), attempts: 1 });
    expect(connections()).toBe(2);
  } finally {
    now.mockRestore();
  }
});

describe('a connection over TLS', () => {
  const trusted = getCACertificates('default');
  const { certificate: cert, key } = selfSignedCertificate('localhost');
  afterEach(() => {
    setDefaultCACertificates(trusted);
  });
  const secureServer = (listener: RequestListener) => listen(createHttpsServer({ cert, key }, listener));

  test('resumes the session of an earlier one', async () => {
    setDefaultCACertificates([cert]);
    const port = await secureServer((incoming, outgoing) => {
      const body = String((incoming.socket as TLSSocket).isSessionReused());
      outgoing.writeHead(200, { 'content-length': body.length, connection: 'close' }).end(body);
    });
    const exchange = httpConnections(new URL(`https://localhost:${port}`), patient);
    expect([await exchange(request), await exchange(request)].map(({ body }) => body.toString())).toEqual(['false', 'true']);
  });

  test.each([
    ['of an unknown authority', 'localhost', []],
    ['for another name', '127.0.0.1', [cert]],
  ])('fails for a certificate %s', async (_title, host, authorities) => {
    setDefaultCACertificates(authorities);
    const port = await secureServer((_incoming, outgoing) => {
      outgoing.end();
    });
    await expect(httpConnections(new URL(`https://${host}:${port}`), patient)(request)).rejects.toMatchObject({
      code: expect.stringMatching(/^(DEPTH_ZERO_SELF_SIGNED_CERT|ERR_TLS_CERT_ALTNAME_INVALID)$/),
    });
  });
});
