import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { WebSocket } from 'ws';
import { bundleForDebugging, inspectorAnswers, startDebugging, stopDebugging } from '../../../sandbox/emulator/lambda-debugger.ts';
import { eventually, freePort, lambda, ref, withEmulator } from '../../support/test-emulator.ts';

const source = `type Event = { readonly name: string };

const greeting = (name: string): string => {
  const text = \`Hello \${name}\`;
  return text;
};

export const handler = async ({ name }: Event): Promise<string> => {
  if (name === 'nobody') throw new Error('no name');
  return greeting(name);
};
`;
const breakpointLine = source.split('\n').findIndex((line) => line.includes('return text')) + 1;

type Message = { readonly id?: number; readonly method?: string; readonly params?: Record<string, unknown>; readonly result?: Record<string, unknown> };
type CallFrame = { readonly callFrameId: string; readonly location: { readonly lineNumber: number; readonly columnNumber: number } };

/** A client of the inspector protocol (https://chromedevtools.github.io/devtools-protocol/v8/). */
const attach = async (port: number) => {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target!.webSocketDebuggerUrl);
  await new Promise((done, fail) => {
    socket.once('open', done);
    socket.once('error', fail);
  });
  const events: Message[] = [];
  const responses = new Map<number, (result: Record<string, unknown>) => void>();
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message;
    if (message.id === undefined) events.push(message);
    else responses.get(message.id)?.(message.result ?? {});
  });
  let calls = 0;
  return {
    call: (method: string, params: object = {}) =>
      new Promise<Record<string, unknown>>((done) => {
        calls += 1;
        responses.set(calls, done);
        socket.send(JSON.stringify({ id: calls, method, params }));
      }),
    event: <Params>(method: string, accepts: (params: Params) => boolean = () => true): Promise<Params> =>
      eventually(async () => events.find((event) => event.method === method && accepts(event.params as Params))?.params as Params | undefined),
    close: () => socket.terminate(),
  };
};

const emulator = withEmulator();
let directory: string;
let functionName: string;
let port: number;
let invoke: (name: string) => Promise<unknown>;
beforeAll(async () => {
  // Below the project, whose modules are ES modules, as the sandbox's state directory is.
  await mkdir('.postrider', { recursive: true });
  directory = await mkdtemp(join(resolve('.postrider'), 'debug-'));
  const resources = lambda('Greeter', 'exports.handler = async () => "deployed code";', { Timeout: 3 });
  functionName = (await emulator.deploy({ Resources: resources, Outputs: { greeter: { Value: ref('Greeter') } } }))['greeter']!;
  port = await freePort();
  const client = new LambdaClient(emulator.clientConfig);
  invoke = async (name) => {
    const { Payload } = await client.send(new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify({ name }) }));
    return JSON.parse(Buffer.from(Payload!).toString()) as unknown;
  };
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('debugging a Lambda', () => {
  test('pauses at a breakpoint in the TypeScript source, longer than the timeout of the Lambda', async () => {
    const entry = join(directory, 'greeter.ts');
    await writeFile(entry, source);
    const bundle = await bundleForDebugging(entry, directory);
    await startDebugging(emulator.stateDirectory, { function: functionName, module: bundle, port });
    const inspector = await attach(port);
    try {
      await inspector.call('Debugger.enable');
      const warm = invoke('Alice');
      type Script = { readonly scriptId: string; readonly url: string; readonly sourceMapURL: string };
      const script = await inspector.event<Script>('Debugger.scriptParsed', ({ url }) => url.endsWith('/index.cjs'));
      expect(await warm).toBe('Hello Alice');

      const mapFile = new URL(script.sourceMapURL, script.url);
      const map = new SourceMap(JSON.parse(await readFile(mapFile, 'utf8')) as SourceMapPayload);
      const original = (line: number, column: number) => map.findEntry(line, column) as { originalSource: string; originalLine: number };
      const lineNumber = (await readFile(bundle, 'utf8')).split('\n').findIndex((line) => line.includes('return text'));
      expect(original(lineNumber, 4).originalLine + 1).toBe(breakpointLine);
      expect(fileURLToPath(new URL(original(lineNumber, 4).originalSource, mapFile))).toBe(entry);

      await inspector.call('Debugger.setBreakpoint', { location: { scriptId: script.scriptId, lineNumber, columnNumber: 0 } });
      const response = invoke('Bob');
      const { callFrames } = await inspector.event<{ callFrames: CallFrame[] }>('Debugger.paused');
      const [frame] = callFrames;
      expect(original(frame!.location.lineNumber, frame!.location.columnNumber).originalLine + 1).toBe(breakpointLine);
      const { result } = await inspector.call('Debugger.evaluateOnCallFrame', { callFrameId: frame!.callFrameId, expression: 'text' });
      expect(result).toEqual({ type: 'string', value: 'Hello Bob' });
      await new Promise((done) => {
        setTimeout(done, 4000);
      });
      await inspector.call('Debugger.resume');
      expect(await response).toBe('Hello Bob');
    } finally {
      inspector.close();
    }
  });

  test('continues on the same port after an invocation that failed', async () => {
    expect(await invoke('nobody')).toMatchObject({ errorMessage: 'no name' });
    await eventually(() => inspectorAnswers(port));
    expect(await invoke('Alice')).toBe('Hello Alice');
  });

  test('ends with the deployed code', async () => {
    await stopDebugging(emulator.stateDirectory, port);
    expect(await inspectorAnswers(port)).toBe(false);
    expect(await invoke('Alice')).toBe('deployed code');
  });

  test('refuses a port on which another process is debugged', async () => {
    const { open, close } = await import('node:inspector');
    const taken = await freePort();
    open(taken, '127.0.0.1');
    try {
      await expect(startDebugging(emulator.stateDirectory, { function: functionName, module: 'none', port: taken })).rejects.toThrow(
        `Another Node.js process is debugged at port ${taken}.`,
      );
    } finally {
      close();
    }
  });
});
