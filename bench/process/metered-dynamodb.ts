import { Agent, createServer, request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenOnLoopback, type RunningServer } from '../../sandbox/process/loopback-server.ts';

/** Calls to DynamoDB, and their cost by DynamoDB's own count. */
export type DynamodbUsage = { readonly calls: readonly string[]; readonly readUnits: number; readonly writeUnits: number };

type Capacity = { readonly CapacityUnits?: number; readonly ReadCapacityUnits?: number; readonly WriteCapacityUnits?: number };

/** A proxy for DynamoDB that can count the units of calls. */
type MeteredDynamodb = RunningServer & {
  readonly url: string;
  /** Counts the DynamoDB calls of `act`. The calls request ConsumedCapacity, which is removed from the response. */
  measure(act: () => Promise<unknown>): Promise<DynamodbUsage>;
};

const isWrite = (operation: string): boolean => /^(Put|Update|Delete|TransactWrite)/.test(operation);

/** Starts a proxy that forwards calls to the DynamoDB at `target`. Calls are unchanged while nothing is measured. */
export const meteredDynamodb = async (port: number, target: string): Promise<MeteredDynamodb> => {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port: targetPort } = new URL(target);
  let measured: { calls: string[]; readUnits: number; writeUnits: number } | undefined;

  const count = (operation: string, body: Buffer): void => {
    const { ConsumedCapacity: consumed }: { readonly ConsumedCapacity?: Capacity | readonly Capacity[] } = JSON.parse(body.toString());
    measured!.calls.push(operation);
    for (const { CapacityUnits = 0, ReadCapacityUnits, WriteCapacityUnits } of [consumed ?? []].flat()) {
      measured!.readUnits += ReadCapacityUnits ?? (isWrite(operation) ? 0 : CapacityUnits);
      measured!.writeUnits += WriteCapacityUnits ?? (isWrite(operation) ? CapacityUnits : 0);
    }
  };

  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const operation = String(incoming.headers['x-amz-target']).split('.').at(-1)!;
      const asked = await buffer(incoming);
      const isCounted = measured !== undefined;
      const body = isCounted ? Buffer.from(JSON.stringify({ ...JSON.parse(asked.toString()), ReturnConsumedCapacity: 'TOTAL' })) : asked;
      const passedOn = httpRequest(
        { host: hostname, port: targetPort, method: 'POST', path: '/', agent, headers: { ...incoming.headers, 'content-length': body.length } },
        (answer) => {
          void (async () => {
            const answered = await buffer(answer);
            if (isCounted && answer.statusCode === 200) count(operation, answered);
            const { 'x-amz-crc32': _crc, 'transfer-encoding': _encoding, ...headers } = answer.headers;
            outgoing.writeHead(answer.statusCode!, { ...headers, 'content-length': answered.length }).end(answered);
          })();
        },
      );
      passedOn.once('error', () => outgoing.destroy());
      passedOn.end(body);
    })();
  });
  server.keepAliveTimeout = 60_000;
  const listening = await listenOnLoopback(port, server);
  return {
    url: `http://127.0.0.1:${port}`,
    async measure(act) {
      const usage = (measured = { calls: [] as string[], readUnits: 0, writeUnits: 0 });
      try {
        await act();
      } finally {
        measured = undefined;
      }
      return usage;
    },
    async stop() {
      agent.destroy();
      await listening.stop();
    },
  };
};
