import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { endProcess, startProcess } from '../../sandbox/process/child-processes.ts';
import { listenOnLoopback } from '../../sandbox/process/loopback-server.ts';

/** An invocation: the Lambda's response, and the CPU milliseconds of its process until it asked for the next event. */
type Invoked = { readonly response: unknown; readonly cpu: number };

/** A Lambda in a process of its own. It handles one invocation at a time. */
export type LambdaProcess = {
  /** @throws Error when the handler fails or the process ends. */
  invoke(event: unknown): Promise<Invoked>;
  stop(): Promise<void>;
};

/** Milliseconds that an invocation may take: the time-out of the deployed Lambda. */
const timeout = 28_000;

const runtimePath = '/2018-06-01/runtime/invocation/';

/**
 * Starts a bundle behind Lambda's runtime API, of which it implements the invocations: `next`, `response` and `error`.
 * @param file the bundle: a CommonJS module with a `handler`.
 * @param nodeOptions options of Node.js, such as `--cpu-prof`.
 */
export const startLambdaProcess = async ({
  file,
  port,
  environment,
  nodeOptions = [],
}: {
  readonly file: string;
  readonly port: number;
  readonly environment: Record<string, string>;
  readonly nodeOptions?: readonly string[];
}): Promise<LambdaProcess> => {
  let polled = Promise.withResolvers<{ readonly poll: ServerResponse; readonly cpu: number }>();
  let finished = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url!;
      if (path === `${runtimePath}next`) {
        polled.resolve({ poll: response, cpu: Number(request.headers['x-cpu']) / 1000 });
        return;
      }
      const body = JSON.parse(await text(request)) as unknown;
      response.writeHead(202, { 'content-length': 0 }).end();
      if (path.endsWith('/response')) finished.resolve(body);
      else finished.reject(new Error(JSON.stringify(body)));
    })();
  });
  server.keepAliveTimeout = 0;
  const listening = await listenOnLoopback(port, server);
  const child = startProcess(process.execPath, [...nodeOptions, join(import.meta.dirname, 'lambda-runtime.ts'), file], {
    env: { ...environment, AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  child.once('close', (code) => {
    const failure = new Error(`the Lambda’s process ended with ${code}`);
    polled.reject(failure);
    finished.reject(failure);
  });
  // A process that ends between two invocations is reported by the next one.
  finished.promise.catch(() => undefined);
  polled.promise.catch(() => undefined);
  let invocations = 0;
  return {
    async invoke(event) {
      const { poll, cpu } = await polled.promise;
      polled = Promise.withResolvers();
      finished = Promise.withResolvers();
      const body = JSON.stringify(event);
      poll
        .writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'lambda-runtime-aws-request-id': `00000000-0000-4000-8000-${String(++invocations).padStart(12, '0')}`,
          'lambda-runtime-deadline-ms': String(Date.now() + timeout),
        })
        .end(body);
      const response = await finished.promise;
      return { response, cpu: (await polled.promise).cpu - cpu };
    },
    async stop() {
      await endProcess(child);
      await listening.stop();
    },
  };
};
