import { accountRemovalsIn } from '../../core/directory/accounts/account-removals.ts';
import { auditTrailIn } from '../../core/directory/operations/audit-log.ts';
import { accountOpener } from '../../core/account-index/account-opener.ts';
import { messageKey } from '../../core/mail-types/email/blob-id.ts';
import { mailRemovalIn } from '../../core/mail-types/mail-store/mail-removal.ts';
import { emailIndexer } from '../../core/search/indexing/index-emails.ts';
import { storedTypes as types } from '../../core/mail-types/mail-store/stored-types.ts';
import { mailStore } from '../../core/mail-types/mail-store/table-mail-store.ts';
import { type Log } from '../../core/runtime/log.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { Table } from '../../core/storage/table.ts';
import { removeAccount, type RemovalTask } from '../../lambdas/account-removal/remove-account.ts';
import { cleanUpMail, type MailCleanupTask } from '../../lambdas/mail-cleanup/clean-up-mail.ts';
import { deliverBatch } from '../../lambdas/deliver/deliver-batch.ts';
import { vacationDependencies } from '../../lambdas/deliver/vacation/vacation-response.ts';
import { destroyedEmailsStep } from '../../lambdas/indexer/destroyed-emails-step.ts';
import { indexBatch } from '../../lambdas/indexer/index-batch.ts';
import { searchStep } from '../../lambdas/indexer/search-step.ts';
import { snapshotStep } from '../../lambdas/indexer/snapshot-step.ts';
import { faultyObjects } from '../fakes/faulty-objects.ts';
import { faultyTable, LambdaCrashed, LostConnection, takeTurn, type Fault, type LambdaProcess, type YieldTurn } from '../fakes/faulty-table.ts';
import { memoryBounceSender } from '../fakes/memory-bounce-sender.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryObjects } from '../fakes/memory-objects.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import { memorySubmitQueue } from '../fakes/memory-submit-queue.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { directoryEntries, jmapLambda, tokenOf } from '../support/jmap-lambda.ts';
import { streamedTable } from '../support/table-stream.ts';

/** The accounts of a history. Alice owns the first and may write into the second. */
export const accounts = ['acc_alice', 'acc_bob'] as const;
export type AccountId = (typeof accounts)[number];

/** The owners' tokens outlast every history. */
const tokens = { alice: { ...tokenOf('alice'), expiresAt: Date.UTC(2030, 0) / 1000 } };

/** Bounds so low that a short history has snapshots, segments and merges. */
const snapshotBounds = { commits: 4, logBytes: 3000 };
const searchBounds = { logBytes: 800, remaining: 3 };

type DueMessage = { readonly message: unknown; readonly dueAt: number };

/** One instance of a Lambda: what it reaches fails when it crashes. */
export type SimulatedLambda = LambdaProcess & {
  readonly table: Table;
  readonly objects: Objects;
  readonly removals: Queue;
  readonly pause: YieldTurn;
  /** Faults of its calls so far. */
  faults: number;
};

/** Milliseconds after which a real clock would decide the order of calls: no history takes so long. */
const never = 60 * 60_000;

type Options = { readonly turn: YieldTurn; readonly random: () => number; readonly faultRate: number };

const writeFaults = ['lost after', 'lost before', 'late', 'crash before', 'crash after'] as const satisfies readonly Fault[];

/** The mail service in memory, with as many instances of each Lambda as a history wants. Time passes only by `wait`. */
export const simulatedService = async ({ turn, random, faultRate }: Options) => {
  let now = Date.UTC(2026, 10, 21, 9);
  let [ids, hasFaults] = [0, true];
  const clock = () => new Date(now);
  const newId = () => `id${String(++ids).padStart(14, '0')}`;
  const [directory, table, objects] = [memoryTable(), streamedTable(memoryTable()), memoryObjects(clock)];
  const due: DueMessage[] = [];
  /** Errors of Lambdas. They are expected where there are faults. */
  const log = memoryLog();
  const quiet = { ...log, error: () => undefined, warn: () => undefined, info: () => undefined } as unknown as Log;
  const removals: Queue = {
    async send(message, delaySeconds = 0) {
      due.push({ message: JSON.parse(JSON.stringify(message)) as unknown, dueAt: now + delaySeconds * 1000 });
    },
  };

  const entries = directoryEntries(directory, clock);
  await entries.addUser('alice');
  await entries.addMember('alice', 'acc_alice', 'ADMIN', true);
  await entries.addMember('alice', 'acc_bob', 'WRITE', false);
  const firstStore = mailStore({ table, clock, newId });
  for (const accountId of accounts) await firstStore.createAccount(accountId);

  /** @param mayContend whether another transaction may hold an item: not in Lambdas that wait for that by real time. */
  const newLambda = (mayContend: boolean): SimulatedLambda => {
    const kinds: readonly Fault[] = mayContend ? [...writeFaults, 'contended', 'contended'] : writeFaults;
    const lambda = { hasCrashed: false, faults: 0, pause: turn } as { -readonly [Name in keyof SimulatedLambda]: SimulatedLambda[Name] };
    const nextFault = (): Fault => {
      if (!hasFaults || random() >= faultRate) return 'none';
      lambda.faults++;
      return kinds[Math.floor(random() * kinds.length)]!;
    };
    const nextLostOrCrash = () => {
      const fault = nextFault();
      return fault === 'contended' ? 'lost before' : fault;
    };
    const mayLose = async <T>(read: () => Promise<T>): Promise<T> => {
      if (!hasFaults || random() >= faultRate / 10) return read();
      lambda.faults++;
      await takeTurn(lambda, turn);
      throw new LostConnection();
    };
    const own = faultyTable(table, turn, nextFault, lambda);
    lambda.table = {
      ...own, get: (key) => mayLose(() => own.get(key)), batchGet: (keys) => mayLose(() => own.batchGet(keys)),
      query: (query) => mayLose(() => own.query(query)),
    };
    const bucket = faultyObjects(objects, turn, nextLostOrCrash, lambda);
    lambda.objects = {
      ...bucket, get: (key, range) => mayLose(() => bucket.get(key, range)), size: (key) => mayLose(() => bucket.size(key)),
      list: (prefix) => mayLose(() => bucket.list(prefix)),
    };
    lambda.removals = {
      async send(message, delaySeconds) {
        await takeTurn(lambda, turn);
        const fault = nextLostOrCrash();
        if (fault !== 'lost before' && fault !== 'crash before') await removals.send(message, delaySeconds);
        if (fault.startsWith('crash')) lambda.hasCrashed = true;
        if (lambda.hasCrashed) throw new LambdaCrashed();
        if (fault !== 'none') throw new LostConnection();
      },
    };
    return lambda;
  };
  const withoutFaults = (): SimulatedLambda => ({ hasCrashed: false, faults: 0, table, objects, removals, pause: async () => undefined });

  const jmapOver = (lambda: SimulatedLambda, snapshots: boolean) => {
    const store = mailStore({
      table: lambda.table, clock, newId, pause: lambda.pause, ...(snapshots && { snapshots: { objects: lambda.objects, log: quiet } }),
    });
    const { table: mail, objects: bucket, removals: queue } = lambda;
    return {
      lambda,
      ...jmapLambda({
        directory, mail, objects: bucket, store, removals: queue, pushes: memoryQueue(), clock, newId, log: quiet, tokens,
        newMessageKey: () => messageKey('draft', newId()),
      }),
    };
  };

  return {
    clock, table, objects, turn, random, newLambda, withoutFaults,
    setFaults(enabled: boolean): void { hasFaults = enabled; },
    wait(minutes: number) { now += minutes * 60_000; },
    /** An instance of the jmap Lambda that opens accounts from snapshots, or from their records. */
    jmap: (lambda: SimulatedLambda, { snapshots = true } = {}) => jmapOver(lambda, snapshots),
    /** An instance of the deliver Lambda. */
    deliver: (lambda: SimulatedLambda) => deliverBatch({
      addresses: {
        resolve: async (recipients) =>
          new Map(recipients.map((recipient) => [recipient, { accountId: `acc_${recipient.split('@')[0]!}` } as never])),
      },
      objects: lambda.objects, mailTable: lambda.table, mailStore: mailStore({ table: lambda.table, clock, newId, pause: lambda.pause }),
      bounces: memoryBounceSender(), queue: memoryQueue(), clock, log: quiet, returnToQueue: async () => {},
      vacation: vacationDependencies({
        directoryTable: directory, sendingTable: memoryTable(), queue: memorySubmitQueue(), objects: lambda.objects, clock, log: quiet,
      }),
    }),
    /** An instance of the indexer Lambda. */
    indexer(lambda: SimulatedLambda) {
      const opener = accountOpener({ table: lambda.table, types, snapshots: { objects: lambda.objects, log: quiet } });
      const parts = { table: lambda.table, objects: lambda.objects, opener, newNonce: () => `n${String(++ids).padStart(4, '0')}`, clock, workFor: never };
      return indexBatch({
        types,
        steps: [
          destroyedEmailsStep(lambda.removals),
          snapshotStep({ ...parts, types, bounds: snapshotBounds, log: quiet }),
          searchStep({ indexEmails: emailIndexer({ ...parts, removals: lambda.removals, bounds: searchBounds }), bounds: searchBounds, clock, log: quiet }),
        ],
        log: quiet,
      });
    },
    /** An instance of the account-removal and of the mail-cleanup Lambda. */
    remover: (lambda: SimulatedLambda) => {
      const { table, objects, pause } = lambda;
      const opener = accountOpener({ table, types, snapshots: { objects, log: quiet } });
      const cleanUp = cleanUpMail({ table, objects, opener, clock, pause, log: quiet });
      const accounts = {
        removals: accountRemovalsIn(directory), mail: mailRemovalIn(table), objects, queue: lambda.removals,
        trail: auditTrailIn(directory), newId, clock,
      };
      return async (body: string): Promise<void> => {
        const task = JSON.parse(body) as RemovalTask | MailCleanupTask;
        const isCleanup = Object.keys(task).some((key) => key !== 'accountId' && key !== 'isLastLook');
        await (isCleanup ? cleanUp(body) : removeAccount(accounts, task, new Date(clock().getTime() + 60_000)));
      };
    },
    /** Takes the messages of the queue of removals that are due. */
    takeDue(): DueMessage[] {
      const taken = due.filter(({ dueAt }) => dueAt <= now);
      due.splice(0, due.length, ...due.filter(({ dueAt }) => dueAt > now));
      return taken;
    },
    returnToQueue: (message: DueMessage): void => { due.push(message); },
  };
};

export type SimulatedService = Awaited<ReturnType<typeof simulatedService>>;
export type JmapInstance = ReturnType<SimulatedService['jmap']>;
