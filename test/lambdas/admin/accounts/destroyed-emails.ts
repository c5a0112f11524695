import type { DestroyedEmail } from '../../../../contract/admin/accounts.ts';
import type { QuotaAmounts } from '../../../../contract/jmap/quota.ts';
import { accountOpener } from '../../../../core/account-index/account-opener.ts';
import { enqueueEndedRetention } from '../../../../core/blobs/ended-retention.ts';
import { storedTypes as types } from '../../../../core/mail/mail-store/stored-types.ts';
import { destroyedEmailsStep } from '../../../../lambdas/indexer/destroyed-emails-step.ts';
import { indexBatch } from '../../../../lambdas/indexer/index-batch.ts';
import { cleanUpMail } from '../../../../lambdas/mail-cleanup/clean-up-mail.ts';
import { memoryLog } from '../../../fakes/memory-log.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { streamedTable } from '../../../support/table-stream.ts';
import { jmapDeployment, type Json } from '../../jmap/jmap-deployment.ts';

export const account = 'acc_alice';
export const day = 24 * 60 * 60;

/** Alice's mail over JMAP, and the admin API with the Lambdas that remove destroyed Emails, over the same tables. */
export const deletedMail = async ({ quotaDefaults, days = 14 }: { readonly quotaDefaults?: QuotaAmounts; readonly days?: number } = {}) => {
  const stored = streamedTable(memoryTable());
  const mail = failingTable(stored);
  const jmap = await jmapDeployment({ mail, recoverableSeconds: days * day, ...(quotaDefaults && { quotaDefaults }) });
  const { directory, objects, now } = jmap;
  await directory.write([{ update: { pk: 'account', sk: account }, set: { name: 'Alice', email: 'alice@example.test', member_count: 1 } }]);
  // The audit log lists no entries of the future.
  const admin = await adminApi({ directory, mail, objects, clock: now, ...(quotaDefaults && { quotaDefaults }) });
  const log = memoryLog();
  const { mailCleanupQueue: queue } = admin;

  /** Passes the stream's records to the indexer. */
  const index = async (): Promise<void> => {
    const indexer = indexBatch({ types, steps: [destroyedEmailsStep(queue, mail)], log });
    expect(await indexer({ Records: stored.records.splice(0) })).toEqual({ batchItemFailures: [] });
  };
  /** Passes the waiting messages to the mail-cleanup Lambda. */
  const cleanUp = async (): Promise<void> => {
    const handle = cleanUpMail({ table: mail, objects, opener: accountOpener({ table: mail, types }), clock: now, log });
    for (const { message } of queue.messages.splice(0)) await handle(JSON.stringify(message));
  };
  return {
    ...jmap,
    admin,
    mail,
    index,
    cleanUp,
    sweep: () => enqueueEndedRetention({ table: mail, removals: queue, clock: now }),
    get: async (id: string): Promise<Json> => (await jmap.call('Email/get', { ids: [id] }))['list'][0] as Json,
    destroy: async (...ids: string[]) => {
      expect((await jmap.call('Email/set', { destroy: ids }))['destroyed']).toEqual(ids);
    },
    list: async (request: object = {}) => (await admin.ok('/accounts/ListDestroyedEmails', { account_id: account, ...request }))['emails'] as DestroyedEmail[],
    restore: (request: object) => admin.call('/accounts/RestoreEmails', { account_id: account, ...request }),
    purge: (request: object = {}) => admin.call('/accounts/PurgeDestroyedEmails', { account_id: account, name: 'Alice', ...request }),
  };
};

export type DeletedMail = Awaited<ReturnType<typeof deletedMail>>;
