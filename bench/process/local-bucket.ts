import { createServer } from 'node:http';
import { listenOnLoopback, type RunningServer } from '../../sandbox/process/loopback-server.ts';

/** Octets of every message: more than any range that the generated records name. */
const messageSize = 40_000;

/** An S3 bucket for a generated mailbox: every key has the same message. It serves only GetObject with ranges. */
export const startLocalBucket = (port: number): Promise<RunningServer> => {
  const line = 'Hello Alice, this is what I wanted to tell you today.\r\n';
  const message = Buffer.from(line.repeat(Math.ceil(messageSize / line.length)).slice(0, messageSize));
  return listenOnLoopback(
    port,
    createServer((request, response) => {
      const range = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers.range));
      if (request.method !== 'GET' || !range) {
        response.writeHead(501).end();
        return;
      }
      const bytes = message.subarray(Number(range[1]), Number(range[2]) + 1);
      response
        .writeHead(206, {
          'content-type': 'message/rfc822',
          'content-length': bytes.length,
          etag: '"d41d8cd98f00b204e9800998ecf8427e"',
          'content-range': `bytes ${range[1]}-${range[2]}/${messageSize}`,
          'last-modified': 'Sat, 21 Nov 2026 07:38:00 GMT',
        })
        .end(bytes);
    }),
  );
};
