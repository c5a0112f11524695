import { accountPartitions } from '../../../contract/deployment/partitions.ts';
import { accountOpener } from '../../../core/account-index/account-opener.ts';
import { removeDestroyedEmails } from '../../../core/blobs/destroyed-emails.ts';
import { emailToStore } from '../../../core/blobs/message-store.ts';
import { emailsOf } from '../../../core/mail-types/email/email-type.ts';
import { storedTypes } from '../../../core/mail-types/mail-store/stored-types.ts';
import { formerBaseSubject } from '../../../core/mime/header/base-subject.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import { senderAccount } from '../../support/account-submission.ts';
import { mailCommit } from '../../support/email-fixtures.ts';
import { deliverDeploymentPerTest } from './deliver-deployment.ts';

const mail = deliverDeploymentPerTest();

const raw = (id: string, subject: string, cited: readonly string[]): string => [
  'From: ann@elsewhere.test', 'To: alice@example.test', `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`, `Message-ID: <${id}@x.test>`,
  ...cited.length > 0 ? [`References: ${cited.map((each) => `<${each}@x.test>`).join(' ')}`] : [], '', 'Hello', '',
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
/** Stores a message as releases up to 0.2.0 did. */
const deliverAsBefore = (id: string, subject: string, cited: readonly string[] = []): Promise<void> => noting(id, () => {
  const octets = Buffer.from(raw(id, subject, cited));
  const content = emailToStore(id.padEnd(22, 'x'), parseMessage(octets), octets.length);
  return mail.mailStore.deliver(senderAccount, {
    ...content, baseSubject: formerBaseSubject(subject), keywords: [], receivedAt: Date.now(), mailboxRole: 'inbox',
  });
});

describe('a reply whose subject has the prefix of another language', () => {
  test.each(['回复: ', '答复：', 'Antwort: ', 'R: ', '답장: ', 'Re(2): ', 'RES: ', 'Отв: ', 'RV: ', 'YNT: '])('%s is in the Thread of its message', async (prefix) => {
    await deliver('one', 'Boat hire');
    await deliver('two', `${prefix}Boat hire`, ['one']);
    expect(threads.get('two')).toBe(threads.get('one'));
  });

  test('is in the Thread of replies that a former release stored', async () => {
    await deliverAsBefore('one', 'Boat hire');
    await deliverAsBefore('two', 'Antwort: Boat hire', ['one']);
    expect(threads.get('two')).not.toBe(threads.get('one'));
    await deliver('three', 'AW: Antwort: Boat hire', ['one', 'two']);
    await deliver('four', 'Re: Boat hire', ['one']);
    expect([threads.get('three'), threads.get('four')]).toEqual([threads.get('two'), threads.get('one')]);
  });

  test('leaves no reference when all Emails of its Thread are destroyed', async () => {
    await deliverAsBefore('one', 'Antwort: Boat hire');
    await deliver('two', 'Antwort: Boat hire', ['one']);
    const ids = (await emails()).map(({ id }) => id);
    await mail.mailStore.commit((await mail.mailStore.open(senderAccount))!, () => mailCommit({ destroyEmails: ids }));
    const opener = accountOpener({ table: mail.mailTable, types: storedTypes });
    await removeDestroyedEmails({ table: mail.mailTable, objects: mail.objects, opener, clock: () => new Date() }, senderAccount, ids);
    const left = await mail.mailTable.query({ pk: `${senderAccount}#${accountPartitions.reference}` });
    expect(left.filter(({ sk }) => sk.length > 30)).toEqual([]);
  });
});
