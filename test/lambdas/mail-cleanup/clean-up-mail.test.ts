import { accountOpener } from '../../../core/account-index/account-opener.ts';
import { decodeHead } from '../../../core/account-log/head.ts';
import { headKey } from '../../../core/account-log/keys.ts';
import { storedTypes as types } from '../../../core/mail/mail-store/stored-types.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import { cleanUpMail } from '../../../lambdas/mail-cleanup/clean-up-mail.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { beforeNextWrite } from '../../support/before-next-write.ts';
import { perTest } from '../../support/per-test.ts';
import { jmapDeployment, type JmapDeployment } from '../jmap/jmap-deployment.ts';

const account = 'acc_alice';
let deployment: JmapDeployment;
const log = perTest(() => memoryLog());
beforeEach(async () => {
  deployment = await jmapDeployment();
});

/** Passes a message to the mail-cleanup Lambda. */
const cleanUp = (message: unknown): Promise<void> => {
  const { mail: table, objects, now: clock } = deployment;
  return cleanUpMail({ table, objects, opener: accountOpener({ table, types }), clock, log })(JSON.stringify(message));
};

describe('the mail-cleanup Lambda', () => {
  test('removes a raw message whose Email no commit created, and keeps one that has its Email', async () => {
    const id = await deployment.deliver();
    const delivered = deployment.objects.keys();
    await deployment.jmap.dependencies.messages.store(account, [{ content: Buffer.from('Subject: Lost\r\n\r\n') }]);
    expect(deployment.objects.keys()).toHaveLength(delivered.length + 1);
    await cleanUp(deployment.removals.messages[0]!.message);
    await cleanUp({ accountId: account, messageKeys: [id.slice(1)] });
    expect(deployment.objects.keys()).toEqual(delivered);
    expect(log.records).toEqual([{ level: 'warn', message: 'raw messages without an Email removed', details: { account_id: account, removed: 1 } }]);
  });

  test('removes a raw message whose Email id another run took before it was stopped', async () => {
    await deployment.jmap.dependencies.messages.store(account, [{ content: Buffer.from('Subject: Lost\r\n\r\n') }]);
    const { message } = deployment.removals.messages[0]!;
    const { objects } = deployment;
    beforeNextWrite(deployment, async () => {
      deployment.objects = { ...objects, remove: () => Promise.reject(new Error('stopped')) };
      await expect(cleanUp(message)).rejects.toThrow('stopped');
      deployment.objects = objects;
    });
    await cleanUp(message);
    expect(objects.keys()).toEqual([]);
  });

  test('removes search segments that are retired, and has the words of destroyed Emails removed by the indexer', async () => {
    const segment = objectKeys.search(account, '0001-run');
    await deployment.objects.put(segment, Buffer.from('old'), 'application/octet-stream');
    await cleanUp({ accountId: account, retiredSegments: ['0001-run'] });
    expect(deployment.objects.keys()).toEqual([]);
    await cleanUp({ accountId: account, purgesSearch: true });
    expect(decodeHead((await deployment.mail.get(headKey(account)))!).searchDue).toBe('purge');
  });

  test('refuses a message of another kind, and removes nothing', async () => {
    await deployment.deliver();
    const before = deployment.objects.keys();
    await expect(cleanUp({ accountId: account })).rejects.toThrow('not a task of mail-cleanup');
    expect(deployment.objects.keys()).toEqual(before);
  });
});
