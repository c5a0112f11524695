import { accountPartitions } from '../../../contract/deployment/keys.ts';
import { accountOpener } from '../../../core/account-index/account-opener.ts';
import { removeDestroyedEmails } from '../../../core/blobs/destroyed-emails.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { storedTypes } from '../../../core/mail/mail-store/stored-types.ts';
import { senderAccount } from '../../support/account-submission.ts';
import { mailCommit } from '../../support/email-fixtures.ts';
import { deliverDeploymentPerTest } from './deliver-deployment.ts';

const mail = deliverDeploymentPerTest();

const raw = (id: string, subject: string, cited: readonly string[]): string =>
  [
    'From: ann@elsewhere.test',
    'To: alice@example.test',
    `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
    `Message-ID: <${id}@x.test>`,
    ...(cited.length > 0 ? [`References: ${cited.map((each) => `<${each}@x.test>`).join(' ')}`] : []),
    '',
    'Hello',
    '',
  ].join('\r\n');
/** The Threads of the messages, by the id with which each was delivered. */
const threads = new Map<string, string>();
beforeEach(() => threads.clear());
const emails = async () => emailsOf(await mail.view(senderAccount)).all();
/** Notes the Thread of the message that `work` adds. */
const noting = async (name: string, work: () => Promise<unknown>): Promise<void> => {
  const known = new Set((await emails()).map(({ id }) => id));
  await work();
  threads.set(name, (await emails()).find(({ id }) => !known.has(id))!.threadId);
};
const deliver = (id: string, subject: string, cited: readonly string[] = []): Promise<void> =>
  noting(id, async () => mail.deliver([await mail.arrive(id, raw(id, subject, cited), ['alice@example.test'])]));
describe('a reply whose subject has the prefix of another language', () => {
  test.each(['回复: ', '答复：', 'Antwort: ', 'R: ', '답장: ', 'Re(2): ', 'RES: ', 'Отв: ', 'RV: ', 'YNT: '])(
    '%s is in the Thread of its message',
    async (prefix) => {
      await deliver('one', 'Boat hire');
      await deliver('two', `${prefix}Boat hire`, ['one']);
      expect(threads.get('two')).toBe(threads.get('one'));
    },
  );

  test('leaves no reference when all Emails of its Thread are destroyed', async () => {
    await deliver('one', 'Antwort: Boat hire');
    await deliver('two', 'Antwort: Boat hire', ['one']);
    const ids = (await emails()).map(({ id }) => id);
    await mail.mailStore.commit((await mail.mailStore.open(senderAccount))!, () => mailCommit({ destroyEmails: ids }));
    const opener = accountOpener({ table: mail.mailTable, types: storedTypes });
    await removeDestroyedEmails({ table: mail.mailTable, objects: mail.objects, opener, clock: () => new Date() }, senderAccount, ids);
    const left = await mail.mailTable.query({ pk: `${senderAccount}#${accountPartitions.reference}` });
    expect(left.filter(({ sk }) => sk.length > 30)).toEqual([]);
  });
});
