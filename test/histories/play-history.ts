import assert from 'node:assert/strict';
import { emailIdOf, messageKey } from '../../core/mail-types/email/blob-id.ts';
import { decodeHead } from '../../core/account-log/head.ts';
import { headKey } from '../../core/account-log/keys.ts';
import { withinInvocation } from '../../core/runtime/concurrency/remaining-time.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import { inboundRecord, receivedNotification } from '../lambdas/deliver/deliver-deployment.ts';
import { applyChanges, type ChangedIds } from '../support/replay-mail-changes.ts';
import { contextWith, failedRecords, sqsEvent } from '../support/queue-records.ts';
import { replayedTypes, type AccountRead } from './account-read.ts';
import { checkMessages, historyClient, logRetention, type HistoryClient, type HistoryParts } from './history-client.ts';
import { rawMessage, receivedAtOf } from './history-messages.ts';
import type { Arrival, BackgroundTask, History, Phase } from './history-tasks.ts';
import { MailLedger } from './mail-ledger.ts';
import { accounts, simulatedService, type AccountId, type SimulatedLambda } from './simulated-service.ts';
import { randomNumbers, turns } from './turns.ts';

/** Attempts after which a queue would move a message to its dead letters. No history comes near. */
const maxReceives = 100;

const mapOfAccounts = <T>(value: (accountId: AccountId) => T) => ({ acc_alice: value('acc_alice'), acc_bob: value('acc_bob') });

/** Every simulated Lambda has an hour left: a slow machine ends no attempt. */
const context = contextWith(60 * 60_000);

/** The observations of a history's tasks, without those that follow when the tasks are over. */
export type HistoryFeatures = {
  readonly hasFaults: boolean;
  readonly hasSnapshot: boolean;
  readonly hasSegments: boolean;
  readonly hasTrimmedLog: boolean;
  /** Whether references of destroyed Emails were removed. */
  readonly hasRemovals: boolean;
};

/** Plays a history in a service of its own. */
export const historyPlayer = async ({ seed, faultRate, maxChanges }: History) => {
  const random = randomNumbers(seed);
  const { turn, run } = turns(random);
  const service = await simulatedService({ turn, random, faultRate });
  const { table, objects } = service;
  let [numbers, minutes] = [0, 0];
  const clean = service.jmap(service.withoutFaults(), { snapshots: false });
  const rolesOf = async (accountId: AccountId) => {
    const [[, response] = []] = await clean.perform([['Mailbox/get', { accountId, ids: null }, 'm']]);
    return Object.fromEntries((response!['list'] as { id: string; role: string }[]).map(({ id, role }) => [role, id]));
  };
  const parts: HistoryParts = {
    service, ledgers: mapOfAccounts(() => new MailLedger()), roles: { acc_alice: await rolesOf('acc_alice'), acc_bob: await rolesOf('acc_bob') },
    nextNumber: () => ++numbers, reads: [], minute: () => minutes,
  };
  const clients: HistoryClient[] = [];
  const clientAt = (index: number) => clients[index] ??= historyClient(String.fromCodePoint(97 + index), parts);

  /** Runs a Lambda until it does its work, and a new one after each crash. */
  const untilDone = async (work: (lambda: SimulatedLambda) => Promise<boolean>): Promise<void> => {
    for (let receives = 0; receives < maxReceives; receives++) {
      const lambda = service.newLambda(false);
      const isDone = await work(lambda).catch((error: unknown) => {
        if (lambda.faults === 0) throw error;
        return false;
      });
      if (isDone && !lambda.hasCrashed) return;
    }
    throw new Error(`a Lambda failed ${maxReceives} times`);
  };

  const arrive = async ({ count, isForBob, isJunk, isRepeated }: Arrival): Promise<void> => {
    const accountId = accounts[isForBob ? 1 : 0];
    const verdicts: Record<string, string> = isJunk ? { spamVerdict: 'FAIL' } : {};
    const messages = Array.from({ length: count }, () => ({ number: ++numbers, sesId: `ses-${numbers}` }));
    const bodies = messages.map(({ number, sesId }) => inboundRecord(JSON.stringify(receivedNotification(
      sesId, [`${accountId.slice('acc_'.length)}@example.test`], verdicts, new Date(receivedAtOf(number)).toISOString(),
    ))));
    for (const { number, sesId } of messages) {
      await objects.put(objectKeys.inbound('deliver-1', sesId), Buffer.from(rawMessage(number)));
      parts.ledgers[accountId].tried.add(number);
    }
    const receive = async () => {
      let waiting = bodies;
      await untilDone(async (lambda) => {
        const failed = failedRecords(await service.deliver(lambda)(sqsEvent(waiting), context));
        if (!lambda.hasCrashed) waiting = failed.map((position) => waiting[position]!);
        return waiting.length === 0;
      });
    };
    await Promise.all([receive(), ...(isRepeated ? [receive()] : [])]);
    for (const { sesId } of messages) parts.ledgers[accountId].exists(emailIdOf(messageKey(accountId, sesId)));
  };

  let indexer: ReturnType<typeof service.indexer> | undefined;
  let indexerLambda: SimulatedLambda | undefined;
  const index = async ({ isCold, isRepeated }: { readonly isCold: boolean; readonly isRepeated: boolean }): Promise<void> => {
    let records = table.records.splice(0);
    if (isRepeated) records = [...records.slice(-3), ...records];
    for (let receives = 0; records.length > 0; receives++) {
      if (receives > maxReceives) throw new Error('the indexer makes no progress');
      if (isCold || !indexer || indexerLambda!.hasCrashed) indexer = service.indexer(indexerLambda = service.newLambda(false));
      const lambda = indexerLambda!;
      const { batchItemFailures: [failure] } = await indexer({ Records: records });
      if (lambda.hasCrashed) continue;
      records = failure ? records.slice(records.findIndex(({ dynamodb }) => dynamodb!.SequenceNumber === failure.itemIdentifier)) : [];
    }
  };
  /** Handles the due messages of the queue of removals; every third one twice, as SQS may. */
  const remove = async (): Promise<void> => {
    for (const [position, due] of service.takeDue().entries()) {
      const handle = () => untilDone(async (lambda) => {
        await service.remover(lambda)(JSON.stringify(due.message));
        return true;
      });
      await handle();
      if (position % 3 === 0) await handle();
    }
  };

  const inTurn = async <Task>(tasks: readonly Task[], perform: (task: Task) => Promise<void>): Promise<void> => {
    for (const task of tasks) await perform(task);
  };
  const background = (task: BackgroundTask): Promise<void> => (task.do === 'index' ? index(task) : remove());

  /** Reads of all accounts by all Lambdas, and by one that opens them from their records. They are the same. */
  const readEverywhere = async (): Promise<AccountRead> => {
    service.setFaults(false);
    const cold = [true, false].map((snapshots) => historyClient('cold', parts, service.jmap(service.newLambda(true), { snapshots })));
    for (const accountId of [...accounts].toReversed()) {
      const read = await cold[1]!.read(accountId);
      for (const client of [cold[0]!, ...clients]) assert.deepEqual(await client.read(accountId), read, 'two Lambdas read the same');
      await checkMessages(cold[0]!, read!);
      if (accountId !== 'acc_alice') continue;
      for (const earlier of parts.reads) assert.ok(await cold[0]!.read(accountId, earlier));
      service.setFaults(true);
      return read!;
    }
    throw new Error('there is no account');
  };

  /** /changes in small steps leads from each read to the current records. */
  const followInSteps = async (now: AccountRead): Promise<void> => {
    for (const { read, minute } of parts.reads) {
      for (const type of replayedTypes) {
        let [held, state] = [read.held[type], read.states[type]];
        for (let hasMore = true; hasMore;) {
          const [[, changes] = []] = await clean.perform([[`${type}/changes`, { accountId: now.accountId, sinceState: state, maxChanges }, 'c']]);
          if (changes!['type'] === 'cannotCalculateChanges') {
            assert.ok(minutes - minute >= logRetention, `${type}/changes forgot ${state}`);
            held = now.held[type];
            break;
          }
          const { created, updated, destroyed, newState, hasMoreChanges } = changes as ChangedIds & { newState: string; hasMoreChanges: boolean };
          assert.ok(created.length + updated.length + destroyed.length <= maxChanges);
          assert.ok(newState !== state || !hasMoreChanges, `${type}/changes stays at ${state}`);
          held = applyChanges(held, now.held[type], { created, updated, destroyed });
          [state, hasMore] = [newState, hasMoreChanges];
        }
        assert.deepEqual(held, now.held[type], `${type}/changes since ${read.states[type]}, ${maxChanges} at a time`);
      }
    }
  };

  /** Lets the queues run dry. Then the bucket has the raw messages of the Emails, and no others. */
  const settle = async (): Promise<void> => {
    service.setFaults(false);
    for (let round = 0; round < 3; round++) {
      await index({ isCold: true, isRepeated: false });
      service.wait(20);
      minutes += 20;
      await remove();
    }
    const client = historyClient('last', parts, clean);
    const named: string[] = [];
    for (const accountId of accounts) {
      const blobIds = await checkMessages(client, (await client.read(accountId))!);
      named.push(...blobIds.map((blobId) => `messages/${accountId}/${blobId.slice(1)}`));
    }
    assert.deepEqual(objects.keys().filter((key) => key.startsWith('messages/')), named.toSorted(), 'the raw messages in the bucket');
    assert.deepEqual(objects.keys().filter((key) => key.startsWith('inbound/')), [], 'messages that arrived and wait');
  };

  return {
    run,
    async play({ clients: tasks, arrivals, background: backgroundTasks }: Phase): Promise<void> {
      await Promise.all([
        ...tasks.map((list, position) => inTurn(list, (task) => clientAt(position).perform(task))),
        inTurn(arrivals, arrive), inTurn(backgroundTasks, background),
      ]);
    },
    pass(minutesAfter: number): void {
      service.wait(minutesAfter);
      minutes += minutesAfter;
    },
    readEverywhere,
    async features(): Promise<HistoryFeatures> {
      const heads = await Promise.all(accounts.map(async (accountId) => decodeHead((await table.get(headKey(accountId)))!)));
      return {
        hasFaults: faultRate > 0, hasSnapshot: heads.some(({ snapshot }) => snapshot !== undefined),
        hasSegments: heads.some(({ search }) => search !== undefined), hasTrimmedLog: heads.some(({ lowWater }) => lowWater > 0),
        hasRemovals: heads.some(({ referencesRemovedAt }) => referencesRemovedAt !== undefined),
      };
    },
    async finish(): Promise<void> {
      await followInSteps(await readEverywhere());
      await settle();
      await readEverywhere();
    },
  };
};

/** Plays the history and checks all that must hold. @throws AssertionError */
export const playHistory = (history: History): Promise<HistoryFeatures> =>
  withinInvocation(context, async () => {
    const player = await historyPlayer(history);
    for (const phase of history.phases) {
      // No call that is under way takes minutes.
      await player.run(() => player.play(phase));
      player.pass(phase.minutesAfter);
      await player.run(() => player.readEverywhere());
    }
    const features = await player.features();
    await player.run(() => player.finish());
    return features;
  });
