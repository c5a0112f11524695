import { setImmediate as immediate } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import * as fc from 'fast-check';
import { type StateChange, type TypeState } from '../../../contract/jmap/push.ts';
import type { WebSocketSender } from '../../../core/aws/api-gateway-web-socket-sender.ts';
import { principalsIn } from '../../../core/directory/users/principals.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { storedTypes } from '../../../core/mail/mail-store/stored-types.ts';
import { findAccountStates, typeStateAfter } from '../../../core/push/listeners/account-states.ts';
import { webSocketConnectionsIn } from '../../../core/push/web-socket/web-socket-connections.ts';
import type { Table } from '../../../core/storage/table.ts';
import type { JmapDependencies } from '../../../lambdas/jmap/request/answer-request.ts';
import { enablePush } from '../../../lambdas/jmap/web-socket/push-frames.ts';
import { notifyBatch } from '../../../lambdas/notify/notify-batch.ts';
import { LambdaCrashed, faultyTable, type Fault, type YieldTurn } from '../../fakes/faulty-table.ts';
import { faultyWebSocketSender, type LambdaProcess } from '../../fakes/faulty-web-socket-sender.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { mailCommit, newEmail } from '../../support/email-fixtures.ts';
import { notifierInMemory, now, seconds } from '../../support/notifier.ts';
import { wrappedTable } from '../../support/wrapped-table.ts';

const members = { acc_1: ['user_alice'], acc_2: ['user_alice', 'user_bob'], acc_3: ['user_bob', 'machine'] } as const;
type AccountId = keyof typeof members;
const accountIds = Object.keys(members) as AccountId[];
/** The shards of the stream. The accounts of a shard are handled in order, different shards concurrently. */
const shards: readonly (readonly AccountId[])[] = [['acc_1', 'acc_3'], ['acc_2']];

type ClientPlan = { readonly principalId: 'user_alice' | 'user_bob' | 'machine'; readonly dataTypes: readonly string[] | null; readonly leaves: number };

/** Returns the values of a list in order, and then always `after`. */
const valuesOf = <T>(list: readonly T[], after: T) => {
  let next = 0;
  return (): T => list[next++] ?? after;
};

/** The ports of one Lambda until it crashes: all of them fail together. */
const lambdaDependencies = (mail: Table, webSocketSender: WebSocketSender, turn: YieldTurn, nextFault: () => Fault) => {
  let isOver = false;
  const table = faultyTable(mail, turn, nextFault);
  const process: LambdaProcess = {
    hasCrashed: () => isOver || table.hasCrashed(),
    crash: () => {
      isOver = true;
    },
  };
  const untilCrash = async <T>(act: () => Promise<T>): Promise<T> => {
    if (process.hasCrashed()) throw new LambdaCrashed();
    return act();
  };
  const own = wrappedTable(table, untilCrash);
  return { mail: own, webSocketSender: faultyWebSocketSender(webSocketSender, turn, nextFault, process), hasCrashed: process.hasCrashed };
};

const newSimulation = async (turn: YieldTurn, nextFault: () => Fault) => {
  const clients = new Map<string, (frame: StateChange) => Promise<void>>();
  const notifier = notifierInMemory();
  for (const [accountId, principals] of Object.entries(members)) {
    await notifier.account(accountId, ...principals);
  }
  await notifier.person('user_alice');
  await notifier.person('user_bob');
  await notifier.store.deliver('acc_1', newEmail('first'));
  notifier.takeStreamRecords();
  const webSocketSender: WebSocketSender = {
    ...notifier.webSocketSender,
    async post(connectionId, text) {
      const outcome = await notifier.webSocketSender.post(connectionId, text);
      const frame = JSON.parse(text) as StateChange;
      if (outcome === 'sent' && frame['@type'] === 'StateChange') await clients.get(connectionId)?.(frame);
      return outcome;
    },
  };
  const startLambda = () => lambdaDependencies(notifier.mail, webSocketSender, turn, nextFault);
  const currentStates = async (ids: readonly string[]) =>
    new Map((await findAccountStates(notifier.mail, ids)).map((account) => [account.accountId, typeStateAfter(account, 0, null)!]));
  return { ...notifier, clients, startLambda, currentStates, toClients: webSocketSender };
};
type Simulation = Awaited<ReturnType<typeof newSimulation>>;

/**
 * A mail client. When it is notified of a state that it does not have, it calls /changes and gets the current state.
 * When its socket closes, it connects again with its pushState.
 */
const mailClient = (
  { webSocketSender, clients, mail, directory, startLambda, currentStates }: Simulation,
  name: string,
  { principalId, dataTypes }: ClientPlan,
) => {
  const states = new Map<string, Record<string, string | undefined>>();
  let pushState: string | undefined;
  let connectionId: string | undefined;
  let connects = 0;
  const onFrame = async ({ changed, pushState: reached }: StateChange): Promise<void> => {
    const current = await currentStates(Object.keys(changed));
    for (const [accountId, types] of Object.entries(changed)) {
      const known = states.get(accountId) ?? {};
      for (const type of Object.keys(types) as (keyof TypeState)[]) {
        if (known[type] !== types[type]) known[type] = current.get(accountId)![type];
      }
      states.set(accountId, known);
    }
    pushState = reached ?? pushState;
  };
  const leave = (): void => {
    if (connectionId !== undefined) webSocketSender.leave(connectionId);
    connectionId = undefined;
  };
  const isConnected = (): boolean => connectionId !== undefined && webSocketSender.isOpen(connectionId);
  const connect = async (): Promise<void> => {
    leave();
    const connection = {
      connectionId: `${name}-${connects++}`,
      principalId,
      isMachine: principalId === 'machine',
      scopes: [],
      authenticatedAt: 0,
      openedAt: 0,
      expiresAt: seconds + 3600,
    };
    connectionId = connection.connectionId;
    await webSocketConnectionsIn(mail).put(connection);
    webSocketSender.open(connectionId);
    clients.set(connectionId, onFrame);
    const own = startLambda();
    const jmap = { principals: principalsIn(directory), mailTable: own.mail } as unknown as JmapDependencies;
    try {
      const answer = await enablePush({ '@type': 'WebSocketPushEnable', dataTypes, ...(pushState !== undefined && { pushState }) }, connection, {
        jmap,
        connections: webSocketConnectionsIn(own.mail),
        webSocketSender: own.webSocketSender,
        clock: () => now,
      });
      if (own.hasCrashed()) throw new LambdaCrashed();
      if (webSocketSender.isOpen(connection.connectionId)) await onFrame(JSON.parse(answer) as StateChange);
    } catch {
      // The client got an error or no response: it connects again.
      leave();
    }
  };
  return {
    states,
    principalId,
    dataTypes,
    leave,
    isConnected,
    connect,
    received: () => (connectionId === undefined ? [] : webSocketSender.received(connectionId)),
  };
};

type Run = {
  readonly scheduler: fc.Scheduler;
  readonly commits: readonly { readonly accountId: AccountId; readonly read: boolean }[];
  readonly plans: readonly ClientPlan[];
  readonly faults: readonly Fault[];
  readonly sizes: readonly number[];
  /** For each batch, the number of already handled records that the stream repeats. */
  readonly repeats: readonly number[];
  /** Whether clients connect before the first commit and stay connected. */
  readonly isSteady: boolean;
};

const writeCommits = async (simulation: Simulation, { commits }: Run, turn: YieldTurn): Promise<void> => {
  for (const [index, { accountId, read }] of commits.entries()) {
    await turn();
    const view = (await simulation.store.open(accountId))!;
    const [email] = emailsOf(view).ids();
    if (read && email !== undefined) {
      await simulation.store.commit(view, (at) => mailCommit({ updateEmails: [{ ...emailsOf(at).get(email)!, keywords: [`k${index}`] }] }));
    } else await simulation.store.deliver(accountId, newEmail(`${index}`));
  }
};

/** Delivers the batches of a shard in order, each one until it is handled. */
const runShard = async (
  simulation: Simulation,
  shard: readonly AccountId[],
  draw: { size: () => number; repeat: () => number },
  turn: YieldTurn,
  isOver: () => boolean,
): Promise<void> => {
  const isOfShard = ({ dynamodb }: DynamoDBRecord): boolean =>
    dynamodb!.Keys!['sk']!.S === 'HEAD' && shard.some((accountId) => dynamodb!.Keys!['pk']!.S === `${accountId}#log`);
  for (let position = 0; ;) {
    await turn();
    const records = simulation.mail.records.filter(isOfShard);
    if (position >= records.length) {
      if (isOver()) return;
      // Lets timers run.
      await immediate();
      continue;
    }
    const batch = records.slice(position, position + draw.size());
    const own = simulation.startLambda();
    const handle = notifyBatch({ ...simulation.dependencies, mail: own.mail, webSocketSender: own.webSocketSender });
    const {
      batchItemFailures: [failure],
    } = await handle({ Records: batch });
    // The stream gets no response of a Lambda that crashed, and repeats the batch.
    if (own.hasCrashed()) continue;
    position += failure ? batch.findIndex(({ dynamodb }) => dynamodb!.SequenceNumber === failure.itemIdentifier) : batch.length;
    position = Math.max(0, position - draw.repeat());
  }
};

const run = async (given: Run) => {
  const { scheduler, plans, faults, sizes, repeats, isSteady } = given;
  const turn = () => scheduler.schedule(Promise.resolve());
  const simulation = await newSimulation(turn, valuesOf(faults, 'none'));
  const clients = plans.map((plan, index) => mailClient(simulation, `c${index}`, plan));
  let isOver = false;
  const draw = { size: valuesOf(sizes, 3), repeat: valuesOf(repeats, 0) };
  if (isSteady) await scheduler.waitFor(Promise.all(clients.map((client) => client.connect())));
  const connecting = isSteady
    ? []
    : clients.map(async (client, index) => {
        for (let remaining = plans[index]!.leaves; remaining >= 0; remaining--) {
          await client.connect();
          await turn();
        }
      });
  const committing = writeCommits(simulation, given, turn);
  const streams = shards.map((shard) => runShard(simulation, shard, draw, turn, () => isOver));
  await scheduler.waitFor(Promise.all([...connecting, committing]));
  isOver = true;
  await scheduler.waitFor(Promise.all(streams));
  await scheduler.waitFor(simulation.retrySockets({ webSocketSender: simulation.toClients }));
  for (let round = 0; clients.some((client) => !client.isConnected()); round++) {
    if (round > 500) throw new Error('a client did not connect');
    for (const client of clients) if (!client.isConnected()) await scheduler.waitFor(client.connect());
  }
  await scheduler.waitIdle();
  return { simulation, clients };
};

const commit = fc.record({ accountId: fc.constantFrom(...accountIds), read: fc.boolean() });
const dataTypes = fc.option(fc.subarray([...storedTypes.keys()], { minLength: 1 }), { nil: null });
const plan = fc.record({ principalId: fc.constantFrom('user_alice' as const, 'user_bob' as const, 'machine' as const), dataTypes, leaves: fc.nat(2) });
const faults = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant('none' as const) },
    { weight: 3, arbitrary: fc.constantFrom<Fault>('contended', 'lost after', 'lost before', 'late', 'crash before', 'crash after') },
  ),
  { maxLength: 60, size: 'max' },
);
const runs = {
  commits: fc.array(commit, { maxLength: 12, size: 'max' }),
  sizes: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 20, size: 'max' }),
  repeats: fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) }), {
    maxLength: 20,
    size: 'max',
  }),
};

describe('a notifier that is killed at any moment, loses calls and responses, and whose stream repeats batches', () => {
  test('brings every client to the current state of its accounts, by pushes and its pushState only', async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.record({ scheduler: fc.scheduler(), plans: fc.array(plan, { minLength: 1, maxLength: 4 }), faults, isSteady: fc.boolean(), ...runs }),
        async (given) => {
          const { simulation, clients } = await run(given);
          const currentStates = await simulation.currentStates(accountIds);
          for (const { states, principalId, dataTypes: types } of clients) {
            for (const accountId of accountIds.filter((each) => (members[each] as readonly string[]).includes(principalId))) {
              const expected = Object.fromEntries(Object.entries(currentStates.get(accountId)!).filter(([type]) => types === null || types.includes(type)));
              expect({ accountId, ...states.get(accountId) }).toEqual({ accountId, ...expected });
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('sends each state of an account once and in order when nothing fails, though the stream repeats batches', async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.record({
          scheduler: fc.scheduler(),
          plans: fc.array(plan, { minLength: 1, maxLength: 4 }),
          faults: fc.constant([]),
          isSteady: fc.constant(true),
          ...runs,
        }),
        async (given) => {
          const { clients } = await run(given);
          for (const client of clients) {
            const reached = new Map<string, number>();
            for (const text of client.received()) {
              for (const [accountId, types] of Object.entries((JSON.parse(text) as StateChange).changed)) {
                const newest = Math.max(...Object.values(types).map((state) => Number(state.split('-')[1])));
                expect(newest).toBeGreaterThan(reached.get(accountId) ?? 0);
                reached.set(accountId, newest);
              }
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
