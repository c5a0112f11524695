import assert from 'node:assert/strict';
import { accountPartitions, partitionOf } from '../../contract/deployment/keys.ts';
import { decodeHead } from '../../core/account-log/head.ts';
import { headKey } from '../../core/account-log/keys.ts';
import { emailIdOf, messageKey } from '../../core/mail/email/blob-id.ts';
import { withinInvocation } from '../../core/runtime/invocation.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import { inboundRecord, receivedNotification } from '../lambdas/deliver/deliver-deployment.ts';
import { contextWith, failedRecords, sqsEvent } from '../support/queue-records.ts';
import type { AccountRead } from './checks/account-read.ts';
import { firstMoment, rawMessage, receivedAtOf } from './checks/history-messages.ts';
import { MailLedger } from './checks/mail-ledger.ts';
import { checkRetention, checkSendings } from './checks/sendings.ts';
import { checkMessages, historyClient, type HistoryClient, type HistoryParts, type TimedRead } from './history-client.ts';
import type { Arrival, BackgroundTask, History, Phase } from './history-tasks.ts';
import type { SimulatedLambda } from './service/fault-injector.ts';
import type { HistoryCounts } from './service/history-counts.ts';
import { accounts, simulatedService, type AccountId } from './service/simulated-service.ts';
import { inSimulatedTime, randomNumbers, simulatedTime, type SimulatedTime } from './service/simulated-time.ts';

/** Maximum attempts of the indexer for the same records, more than any history needs. */
const maxReceives = 100;

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/**
 * Milliseconds after which each submission must be finished or canceled: the longest hold, and several days of retries.
 */
const sendingTime = 11 * day;
/** Milliseconds after which submissions are removed. */
const retentionTime = 99 * day;

const mapOfAccounts = <T>(value: (accountId: AccountId) => T) => ({ acc_alice: value('acc_alice'), acc_bob: value('acc_bob') });

/** The context of each request, with an hour of remaining time, so that a slow machine ends no attempt. */
const context = contextWith(hour);

/** Plays a history in a new service. */
const historyPlayer = async ({ faultRate, retentionDays }: History, time: SimulatedTime, random: () => number) => {
  const service = await simulatedService({ time, random, faultRate, retentionDays });
  const { mail, objects, sent, faults, counts } = service;
  let numbers = 0;
  const clean = service.jmap(service.withoutFaults(), { snapshots: false });
  const rolesOf = async (accountId: AccountId) => {
    const [[, response] = []] = await clean.perform([['Mailbox/get', { accountId, ids: null }, 'm']]);
    return Object.fromEntries((response!['list'] as { id: string; role: string }[]).map(({ id, role }) => [role, id]));
  };
  const parts: HistoryParts = {
    service,
    ledgers: mapOfAccounts(() => new MailLedger()),
    roles: { acc_alice: await rolesOf('acc_alice'), acc_bob: await rolesOf('acc_bob') },
    nextNumber: () => ++numbers,
    toAll: new Set(),
    reads: [],
    sendings: [],
  };
  const clients: HistoryClient[] = [];
  const clientAt = (index: number) => (clients[index] ??= historyClient(String.fromCodePoint(97 + index), parts));

  const arrive = async ({ count, to, isJunk, isRepeated }: Arrival): Promise<void> => {
    const isForBoth = to === 'all' || to === 'carol';
    // Carol forwards no junk.
    const receiving = to === 'carol' && isJunk ? [] : accounts.filter((accountId) => isForBoth || accountId === `acc_${to}`);
    const verdicts: Record<string, string> = isJunk ? { spamVerdict: 'FAIL' } : {};
    const messages = Array.from({ length: count }, () => ({ number: ++numbers, sesId: `ses-${numbers}` }));
    const bodies = messages.map(({ number, sesId }) =>
      inboundRecord(JSON.stringify(receivedNotification(sesId, [`${to}@example.test`], verdicts, new Date(receivedAtOf(number)).toISOString()))),
    );
    for (const { number, sesId } of messages) {
      await objects.put(objectKeys.inbound('deliver-1', sesId), Buffer.from(rawMessage(number)));
      if (isForBoth) parts.toAll.add(number);
      for (const accountId of receiving) parts.ledgers[accountId].tried.add(number);
    }
    const receive = async () => {
      for (let waiting = bodies; waiting.length > 0;) {
        await service.untilDone(async (lambda, limits) => {
          const failed = failedRecords(await service.deliver(lambda)(sqsEvent(waiting), limits));
          if (!lambda.hasCrashed) waiting = failed.map((position) => waiting[position]!);
        });
      }
    };
    await Promise.all([receive(), ...(isRepeated ? [receive()] : [])]);
    for (const accountId of receiving) for (const { sesId } of messages) parts.ledgers[accountId].exists(emailIdOf(messageKey(accountId, sesId)));
  };

  let indexer: ReturnType<typeof service.indexer> | undefined;
  let indexerLambda: SimulatedLambda | undefined;
  const index = async ({ isCold, isRepeated }: { readonly isCold: boolean; readonly isRepeated: boolean }): Promise<void> => {
    let records = mail.records.splice(0);
    if (isRepeated) records = [...records.slice(-3), ...records];
    for (let receives = 0; records.length > 0; receives++) {
      if (receives > maxReceives) throw new Error('the indexer makes no progress');
      if (isCold || !indexer || indexerLambda!.hasCrashed) indexer = service.indexer((indexerLambda = service.newLambda()));
      const lambda = indexerLambda!;
      const {
        batchItemFailures: [failure],
      } = await indexer({ Records: records });
      if (lambda.hasCrashed) continue;
      records = failure ? records.slice(records.findIndex(({ dynamodb }) => dynamodb!.SequenceNumber === failure.itemIdentifier)) : [];
    }
  };
  /**
   * Runs the sweep, then handles the due messages of the mail-cleanup queue; every third message twice, as SQS may
   * deliver it.
   */
  const remove = async (): Promise<void> => {
    await service.untilDone((lambda) => service.sweep(lambda));
    for (const [position, due] of service.takeDue().entries()) {
      const handle = () => service.untilDone((lambda) => service.cleaner(lambda)(JSON.stringify(due.message)));
      await handle();
      if (position % 3 === 0) await handle();
    }
  };

  /**
   * Two admins restore some of Alice's destroyed Emails concurrently. Every third time, another admin purges one of
   * them.
   */
  const restore = async ({ pick }: Extract<BackgroundTask, { do: 'restore' }>): Promise<void> => {
    let ids: readonly string[] = [];
    // Clients may destroy some meanwhile.
    for (let looks = 0; looks < 20 && ids.length === 0; looks++) {
      await new Promise<void>((resume) => {
        time.at(time.now() + pick, resume);
      });
      ids = (await service.destroyedEmails()).filter((_, position) => (position + pick) % 4 !== 1);
    }
    if (ids.length === 0) return;
    for (const id of ids) parts.ledgers.acc_alice.triedToRestore.add(id);
    const admin = () =>
      service.untilDone(async (lambda) => {
        const { restored } = await service.restore(lambda, ids);
        counts.restored += restored;
      });
    const purge = () => service.untilDone((lambda) => service.purge(lambda, ids.slice(0, 1)));
    await Promise.all([admin(), admin(), ...(pick % 3 === 0 ? [purge()] : [])]);
  };

  const inTurn = async <Task>(tasks: readonly Task[], perform: (task: Task) => Promise<void>): Promise<void> => {
    for (const task of tasks) await perform(task);
  };
  const background = (task: BackgroundTask): Promise<void> => (task.do === 'index' ? index(task) : task.do === 'restore' ? restore(task) : remove());

  /**
   * Lets time pass. The sweep runs each minute; after an hour it runs only when something is due. Faults end after half
   * a day.
   */
  const pass = async (length: number): Promise<void> => {
    const [began, end] = [time.now(), time.now() + length];
    while (time.now() < end) {
      const next = (unit: number) => Math.floor(time.now() / unit + 1) * unit;
      const due = await sent.nextDue();
      if (due <= time.now()) time.at(time.now(), () => sent.sweep());
      await time.runUntil(Math.min(end, time.now() < began + hour ? next(minute) : Math.max(next(minute), Math.min(due, next(hour)))));
      faults.enable(time.now() < began + 12 * hour);
    }
    faults.enable(true);
  };

  /**
   * Reads all accounts by all Lambdas, and by one that opens the accounts from their records, and compares the results.
   * @param reads earlier reads of Alice's account, from which changes are queried.
   * @returns the keys of all raw messages.
   */
  const readEverywhere = (reads: readonly TimedRead[]): Promise<readonly string[]> =>
    time.stop(async () => {
      const cold = [true, false].map((snapshots) => historyClient('cold', parts, service.jmap(service.newLambda(), { snapshots })));
      const messages: string[] = [];
      const readBy = async (accountId: AccountId): Promise<AccountRead> => {
        const read = await cold[1]!.read(accountId);
        for (const client of [cold[0]!, ...clients]) assert.deepEqual(await client.read(accountId), read, 'two Lambdas read the same');
        for (const blobId of await checkMessages(cold[0]!, read!)) messages.push(`messages/${accountId}/${blobId.slice(1)}`);
        return read!;
      };
      await readBy('acc_bob');
      const read = await readBy('acc_alice');
      for (const earlier of reads) await cold[0]!.follow(earlier, read);
      return messages;
    });

  /** The raw messages of those who forward: of their junk, and of what they can restore. */
  const forwarded = async (): Promise<string[]> => {
    const found = await Promise.all(
      ['acc_carol', 'acc_dave'].map(async (accountId) => {
        const items = await mail.query({ pk: partitionOf(accountId, accountPartitions.email) });
        return items.filter((item) => item['record'] !== undefined).map(({ sk }) => `messages/${accountId}/${sk.slice(1)}`);
      }),
    );
    return found.flat();
  };

  /** Runs until the queues are empty. Then the bucket must have exactly the raw messages of the Emails. */
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 3; round++) {
      await time.run(() => index({ isCold: true, isRepeated: false }));
      await pass(20 * minute);
      await time.run(remove);
    }
    const messages = [...(await readEverywhere([])), ...(await forwarded())];
    assert.deepEqual(
      objects.keys().filter((key) => key.startsWith('messages/')),
      messages.toSorted(),
      'the raw messages in the bucket',
    );
    assert.deepEqual(
      objects.keys().filter((key) => key.startsWith('inbound/')),
      [],
      'messages that arrived and wait',
    );
  };

  const checkSent = () => checkSendings(parts.sendings.splice(0), { service, ledger: parts.ledgers.acc_alice, hasFaults: faultRate > 0 });

  const makeTrouble = (trouble: Phase['trouble']): void => {
    if (faultRate === 0) return;
    if (trouble === 'SES throttles' || trouble === 'SES is closed') {
      sent.ses.close((trouble === 'SES throttles' ? 1 : 60) * minute * random(), trouble === 'SES throttles' ? 'rate' : 'closed');
    }
    if (trouble === 'redeployment') time.at(time.now() + random() * 5 * minute, () => service.redeploy());
    if (trouble === 'deactivation' && random() < 0.5) time.at(time.now() + random() * hour, () => sent.deactivate());
  };

  return {
    async play({ clients: tasks, arrivals, background: backgroundTasks, trouble, minutesAfter }: Phase): Promise<void> {
      makeTrouble(trouble);
      await time.run(() =>
        Promise.all([
          ...tasks.map((list, position) => inTurn(list, (task) => clientAt(position).perform(task))),
          inTurn(arrivals, arrive),
          inTurn(backgroundTasks, background),
        ]),
      );
      await pass(minutesAfter * minute);
      if (minutesAfter * minute > sendingTime) await checkSent();
      await readEverywhere(parts.reads);
    },
    async finish(): Promise<HistoryCounts> {
      for (const accountId of accounts) {
        const { snapshot, search, lowWater, referencesRemovedAt } = decodeHead((await mail.get(headKey(accountId)))!);
        counts.snapshots += Number(snapshot !== undefined);
        counts.segments += Number(search !== undefined);
        counts.trims += Number(lowWater > 0);
        counts.removals += Number(referencesRemovedAt !== undefined);
      }
      await pass(sendingTime);
      await checkSent();
      await readEverywhere(parts.reads);
      await pass(retentionTime);
      await checkRetention(service);
      faults.enable(false);
      await settle();
      return counts;
    },
  };
};

/** Plays the history and checks all invariants. @throws AssertionError */
export const playHistory = (history: History): Promise<HistoryCounts> => {
  const random = randomNumbers(history.seed);
  const time = simulatedTime(firstMoment, random);
  return inSimulatedTime(time, random, () =>
    withinInvocation(context, async () => {
      const player = await historyPlayer(history, time, random);
      for (const phase of history.phases) await player.play(phase);
      return player.finish();
    }),
  );
};
