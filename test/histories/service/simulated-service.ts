import { defaultSendLimits } from '../../../contract/deployment/sending.ts';
import { defaultQuota } from '../../../contract/jmap/quota.ts';
import { accountOpener } from '../../../core/account-index/account-opener.ts';
import { purgeDestroyedEmails } from '../../../core/blobs/destroyed-email-purge.ts';
import { enqueueEndedRetention } from '../../../core/blobs/ended-retention.ts';
import { forwardingsIn } from '../../../core/directory/forwarding/forwardings.ts';
import { groupReceiversIn } from '../../../core/directory/groups/group-receivers.ts';
import { groupsIn } from '../../../core/directory/groups/groups.ts';
import { receivedMessagesIn } from '../../../core/mail/delivery/received-messages.ts';
import { listDestroyedEmails } from '../../../core/mail/destroyed-email-list.ts';
import { restoreEmails } from '../../../core/mail/email-restoration.ts';
import { messageKey } from '../../../core/mail/email/blob-id.ts';
import { identityOfAlias } from '../../../core/mail/identity-type.ts';
import { storedTypes as types } from '../../../core/mail/mail-store/stored-types.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { withinInvocation, type InvocationContext } from '../../../core/runtime/invocation.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import { type Log } from '../../../core/runtime/log.ts';
import { emailIndexer } from '../../../core/search/indexing/index-emails.ts';
import { submitQueueOver } from '../../../core/sending/submission/submit-queue.ts';
import { copyMarks } from '../../../lambdas/deliver/copy-marks.ts';
import { deliverBatch } from '../../../lambdas/deliver/deliver-batch.ts';
import { vacationDependencies } from '../../../lambdas/deliver/vacation/send-vacation-response.ts';
import { destroyedEmailsStep } from '../../../lambdas/indexer/destroyed-emails-step.ts';
import { indexBatch } from '../../../lambdas/indexer/index-batch.ts';
import { searchStep } from '../../../lambdas/indexer/search-step.ts';
import { snapshotStep } from '../../../lambdas/indexer/snapshot-step.ts';
import { cleanUpMail } from '../../../lambdas/mail-cleanup/clean-up-mail.ts';
import { memoryBounceSender } from '../../fakes/memory-bounce-sender.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryObjects } from '../../fakes/memory-objects.ts';
import { memoryQueue } from '../../fakes/memory-queue.ts';
import { memorySubmitQueue } from '../../fakes/memory-submit-queue.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { directoryEntries, jmapLambda, tokenOf } from '../../support/jmap-lambda.ts';
import { streamedTable } from '../../support/table-stream.ts';
import { faultInjector, type SimulatedLambda } from './fault-injector.ts';
import { noCounts } from './history-counts.ts';
import { simulatedSending } from './simulated-sending.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** The accounts of a history. Alice owns the first account, may send from it, and may write into the second account. */
export const accounts = ['acc_alice', 'acc_bob'] as const;
export type AccountId = (typeof accounts)[number];

/** The tokens of the accounts' owners, which are valid longer than any history. */
const tokens = { alice: { ...tokenOf('alice'), expiresAt: Date.UTC(2030, 0) / 1000 } };

/** Bounds that are so low that a short history has snapshots, segments and merges. */
const snapshotBounds = { commits: 4, logBytes: 3000 };
const searchBounds = { logBytes: 800, remaining: 3 };

/** Send limits that no history reaches. */
const sendLimits = { perMinute: 1e6, perDay: 1e6 };

/** Milliseconds after which an invocation's Lambda is stopped. */
const invocationTime = 120_000;
/** Attempts after which a message would be a dead letter, more than any history needs. */
const maxReceives = 100;

type DueMessage = { readonly message: unknown; readonly dueAt: number };

export type ServiceOptions = { readonly time: SimulatedTime; readonly random: () => number; readonly faultRate: number; readonly retentionDays: number };

/** The mail service in memory, with the requested number of instances of each Lambda. */
export const simulatedService = async ({ time, random, faultRate, retentionDays }: ServiceOptions) => {
  let [ids, overtakes] = [0, 0];
  const counts = noCounts();
  const recoverableSeconds = retentionDays * 24 * 60 * 60;
  const clock = () => new Date(time.now());
  const newId = () => `id${String(++ids).padStart(14, '0')}`;
  const [directory, mail, sending, objects] = [memoryTable(), streamedTable(memoryTable()), memoryTable(), memoryObjects(clock)];
  const due: DueMessage[] = [];
  /** A log that ignores errors, which faults cause. */
  const quiet = { ...memoryLog(), error: () => undefined, warn: () => undefined, info: () => undefined } as unknown as Log;
  const sendRemoval: Queue['send'] = async (message, delaySeconds = 0) => {
    due.push({ message: JSON.parse(JSON.stringify(message)) as unknown, dueAt: time.now() + delaySeconds * 1000 });
  };

  const entries = directoryEntries(directory, clock);
  await entries.addUser('alice');
  await entries.addMember('alice', 'acc_alice', 'ADMIN', true);
  await entries.addMember('alice', 'acc_bob', 'WRITE', false);
  await entries.addSender('alice', 'acc_alice', 'alice@example.test');
  const store = mailStore({ table: mail, clock, newId });
  await store.createAccount('acc_alice', [], { Identity: [identityOfAlias({ alias_id: 'alias_alice', email: 'alice@example.test' }, true)] });
  await store.createAccount('acc_bob');
  for (const accountId of ['acc_alice', 'acc_bob']) {
    await directory.write([
      { put: { pk: 'account', sk: accountId, email: `${accountId.slice('acc_'.length)}@example.test`, name: accountId } },
      { put: { pk: 'group-member#group_all', sk: accountId, added_at: clock().toISOString() } },
    ]);
  }
  // What Carol gets goes to Dave, and from him to both others and back to her, without copies.
  for (const [accountId, to] of Object.entries({ acc_carol: ['acc_dave'], acc_dave: ['acc_alice', 'acc_carol', 'acc_bob'] })) {
    await store.createAccount(accountId);
    await directory.write([{ put: { pk: 'account', sk: accountId, email: `${accountId.slice('acc_'.length)}@example.test`, name: accountId } }]);
    const addresses = to.map((account_id) => ({ email: `${account_id.slice('acc_'.length)}@example.test`, account_id }));
    await forwardingsIn(directory).put(accountId, { addresses, keep_copy: false }, clock());
  }

  /** Makes a commit of another writer, which changes nothing that a history checks. */
  const overtake = async (accountId: string): Promise<void> => {
    await store.commit((await store.open(accountId))!, (view) => ({
      records: { Mailbox: { put: [{ ...mailboxesOf(view).all()[0]!, sortOrder: ++overtakes }] } },
    }));
  };
  const faults = faultInjector({ time, random, faultRate, counts, mail, sending, objects, overtake });
  const { newLambda } = faults;

  /** Lambdas that may be stopped before their work ends. */
  const running = new Set<SimulatedLambda>();
  /** Runs a Lambda, which may be stopped at any moment. @returns whether its work was completed. */
  const invoke = async (work: (lambda: SimulatedLambda, context: InvocationContext) => Promise<unknown>): Promise<boolean> => {
    const lambda = newLambda();
    const isStopped = random() < faults.rate() / 2;
    if (isStopped) lambda.faults++;
    const end = time.now() + (isStopped ? random() * 1000 : invocationTime);
    time.at(end, () => {
      lambda.hasCrashed = true;
    });
    running.add(lambda);
    try {
      const context = { getRemainingTimeInMillis: () => end - time.now() };
      await withinInvocation(context, () => work(lambda, context));
      return !lambda.hasCrashed;
    } catch (error) {
      lambda.hasFailed = true;
      if (lambda.faults === 0 && !lambda.hasCrashed) throw error;
      return false;
    } finally {
      running.delete(lambda);
    }
  };
  const sent = simulatedSending({ time, random, faultRate, currentFaultRate: faults.rate, invoke, directory, sending, mail, log: quiet, clock });

  return {
    time,
    clock,
    counts,
    mail,
    sending,
    objects,
    random,
    store,
    newLambda,
    faults,
    sent,
    withoutFaults: (): SimulatedLambda => ({ hasCrashed: false, faults: 0, doubts: 0, hasFailed: false, mail, sending, objects, queue: (send) => ({ send }) }),
    /** Runs a Lambda until it completes its work, with a new instance after each failure. */
    async untilDone(work: (lambda: SimulatedLambda, context: InvocationContext) => Promise<unknown>): Promise<void> {
      for (let receives = 0; receives < maxReceives; receives++) if (await invoke(work)) return;
      throw new Error(`a Lambda failed ${maxReceives} times`);
    },
    /** Stops all Lambdas and the sweep, as a deployment of new code may do. */
    redeploy(): void {
      for (const lambda of running) lambda.hasCrashed = true;
      sent.redeploy();
    },
    /** An instance of the jmap Lambda that opens accounts either from snapshots or from their records. */
    jmap(lambda: SimulatedLambda, { snapshots = true } = {}) {
      const { mail: table, objects: bucket } = lambda;
      const submits = submitQueueOver(lambda.queue(sent.enqueue));
      return {
        lambda,
        ...jmapLambda({
          directory,
          mail: table,
          objects: bucket,
          sending: lambda.sending,
          sendLimits,
          submits,
          store: mailStore({ table, clock, newId, recoverableSeconds, ...(snapshots && { snapshots: { objects: bucket, log: quiet } }) }),
          removals: lambda.queue(sendRemoval),
          pushes: memoryQueue(),
          clock,
          newId,
          log: quiet,
          tokens,
          newMessageKey: () => messageKey('draft', newId()),
        }),
      };
    },
    /** An instance of the deliver Lambda. */
    deliver: (lambda: SimulatedLambda) =>
      deliverBatch({
        addresses: {
          resolveAll: async (recipients) =>
            new Map(
              recipients.map((recipient) => {
                const [name = ''] = recipient.split('@');
                return [recipient, (name === 'all' ? { groupId: 'group_all', email: recipient, writers: 'ANYONE' } : { accountId: `acc_${name}` }) as never];
              }),
            ),
        },
        groupReceivers: groupReceiversIn(directory),
        groups: groupsIn(directory),
        forwardings: forwardingsIn(directory),
        sendLimits: defaultSendLimits,
        mayForwardOutside: true,
        recoverableSeconds,
        jmapUrl: 'https://jmap.example.test',
        objects: lambda.objects,
        mailTable: lambda.mail,
        mailStore: mailStore({ table: lambda.mail, clock, newId }),
        bounces: memoryBounceSender(),
        queue: memoryQueue(),
        clock,
        log: quiet,
        returnToQueue: async () => {},
        deadLetters: memoryQueue(),
        received: receivedMessagesIn(lambda.sending),
        recordsSubjects: true,
        signInMailFrom: 'no-reply@example.test',
        copyMarks: copyMarks(async () => 'secret', clock),
        vacation: vacationDependencies({
          directoryTable: directory,
          sendingTable: lambda.sending,
          queue: memorySubmitQueue(),
          objects: lambda.objects,
          clock,
          log: quiet,
        }),
      }),
    /** An instance of the indexer Lambda. */
    indexer(lambda: SimulatedLambda) {
      const { mail: table, objects: bucket } = lambda;
      const queue = lambda.queue(sendRemoval);
      const opener = accountOpener({ table, types, snapshots: { objects: bucket, log: quiet } });
      const parts = { table, objects: bucket, opener, newNonce: () => `n${String(++ids).padStart(4, '0')}`, clock, workFor: invocationTime };
      return indexBatch({
        types,
        steps: [
          destroyedEmailsStep(queue, table),
          snapshotStep({ ...parts, types, bounds: snapshotBounds, log: quiet }),
          searchStep({ indexEmails: emailIndexer({ ...parts, log: quiet, removals: queue, bounds: searchBounds }), bounds: searchBounds, clock, log: quiet }),
        ],
        log: quiet,
      });
    },
    /** An instance of the mail-cleanup Lambda. */
    cleaner: ({ mail: table, objects: bucket }: SimulatedLambda) =>
      cleanUpMail({ table, objects: bucket, opener: accountOpener({ table, types, snapshots: { objects: bucket, log: quiet } }), clock, log: quiet }),
    /** The daily run of the mail-cleanup Lambda. */
    sweep: (lambda: SimulatedLambda) => enqueueEndedRetention({ table: lambda.mail, removals: lambda.queue(sendRemoval), clock }),
    /** The destroyed Emails of Alice that can be restored. */
    destroyedEmails: async (): Promise<readonly string[]> =>
      (await listDestroyedEmails({ table: mail, clock }, 'acc_alice', {}, undefined, 500)).items.map(({ id }) => id),
    /** An admin's call of RestoreEmails. */
    restore: (lambda: SimulatedLambda, emailIds: readonly string[]) =>
      restoreEmails(
        { table: lambda.mail, store: mailStore({ table: lambda.mail, clock, newId, recoverableSeconds }), quotaDefaults: defaultQuota, newId, clock },
        'acc_alice',
        { emailIds },
        new Date(time.now() + invocationTime),
      ),
    /** An admin's call of PurgeDestroyedEmails. */
    purge: (lambda: SimulatedLambda, emailIds: readonly string[]) =>
      purgeDestroyedEmails({ table: lambda.mail, removals: lambda.queue(sendRemoval), clock }, 'acc_alice', emailIds, new Date(time.now() + invocationTime)),
    /** Takes the due messages of the mail-cleanup queue. */
    takeDue(): DueMessage[] {
      const taken = due.filter(({ dueAt }) => dueAt <= time.now());
      due.splice(0, due.length, ...due.filter(({ dueAt }) => dueAt > time.now()));
      return taken;
    },
  };
};

export type SimulatedService = Awaited<ReturnType<typeof simulatedService>>;
export type JmapInstance = ReturnType<SimulatedService['jmap']>;
