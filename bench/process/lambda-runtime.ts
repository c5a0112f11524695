import { createRequire } from 'node:module';
import { connect } from 'node:net';

/**
 * The program of a Lambda's process: it loads a bundle and handles the invocations of Lambda's runtime API one after
 * the other. Each request for the next invocation states the CPU time of this process in microseconds.  * `node
 * lambda-runtime.ts FILE`, with AWS_LAMBDA_RUNTIME_API in the environment. HTTP is written to the socket as text,
 * because Node's HTTP client would be a large part of the CPU time of a small request. AWS's runtime does this in
 * native code.
 */
type Handler = (event: unknown, context: { getRemainingTimeInMillis(): number }) => Promise<unknown>;

const { handler }: { readonly handler: Handler } = createRequire(import.meta.url)(process.argv[2]!);
const [host, port] = process.env['AWS_LAMBDA_RUNTIME_API']!.split(':');
const socket = connect({ host, port: Number(port), noDelay: true });
socket.setEncoding('latin1');

type Answer = { readonly head: string; readonly body: string };

/** A whole HTTP response with a Content-Length, or undefined while it is incomplete. */
const parseAnswer = (received: string): Answer | undefined => {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = received.slice(0, end);
  const body = received.slice(end + 4);
  return body.length < Number(/^content-length: (\d+)/im.exec(head)?.[1]) ? undefined : { head, body };
};

const call = (method: 'GET' | 'POST', path: string, headers: string, body = ''): Promise<Answer> =>
  new Promise((resolve) => {
    let received = '';
    const onData = (chunk: string): void => {
      received += chunk;
      const answer = parseAnswer(received);
      if (!answer) return;
      socket.off('data', onData);
      resolve(answer);
    };
    socket.on('data', onData);
    socket.write(`${method} /2018-06-01/runtime/${path} HTTP/1.1\r\nhost: ${host}\r\n${headers}\r\n${body}`);
  });

const post = (path: string, value: unknown): Promise<Answer> => {
  const body = JSON.stringify(value);
  return call('POST', path, `content-length: ${Buffer.byteLength(body)}\r\n`, body);
};

// An exit, not a signal, makes Node.js write its profile.
process.once('SIGTERM', () => {
  process.exit(0);
});

for (;;) {
  const { user, system } = process.cpuUsage();
  const { head, body } = await call('GET', 'invocation/next', `x-cpu: ${user + system}\r\n`);
  const id = /^lambda-runtime-aws-request-id: (\S+)/im.exec(head)?.[1];
  const deadline = Number(/^lambda-runtime-deadline-ms: (\d+)/im.exec(head)?.[1]);
  try {
    const event = JSON.parse(Buffer.from(body, 'latin1').toString()) as unknown;
    await post(`invocation/${id}/response`, await handler(event, { getRemainingTimeInMillis: () => deadline - Date.now() }));
  } catch (error) {
    await post(`invocation/${id}/error`, { errorMessage: String(error) });
  }
}
