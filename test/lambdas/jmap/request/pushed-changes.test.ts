import { notifierInMemory } from '../../../support/notifier.ts';
import { jmapDeployment, type Json } from '../jmap-deployment.ts';

/** The JMAP Lambda and the notifier over the same tables, and a WebSocket that is notified of all changes of Alice's mail. */
const pushedDeployment = async () => {
  const notifier = notifierInMemory();
  const deployment = await jmapDeployment({ mail: notifier.mail, directory: notifier.directory });
  await deployment.addMember('alice', 'acc_bob', 'READ', false);
  await notifier.directory.write([{ put: { pk: 'account-member#acc_alice', sk: 'alice', role: 'ADMIN' } }]);
  await notifier.socket('alice', 'socket', { notifiedUpTo: new Map([['acc_alice', await notifier.sequenceOf('acc_alice')]]) });
  /** Runs an action. @returns the types of Alice's account in the next push, in alphabetical order. */
  const pushedAfter = async (act: () => Promise<unknown>): Promise<string[]> => {
    notifier.takeStreamRecords();
    const before = notifier.received('socket').length;
    await act();
    await notifier.run(notifier.takeStreamRecords());
    const pushes = notifier.received('socket').slice(before) as { changed: Record<string, Json> }[];
    expect(pushes.map(({ changed }) => Object.keys(changed))).toEqual([['acc_alice']]);
    return Object.keys(pushes[0]!.changed['acc_alice']!).sort();
  };
  return { deployment, pushedAfter };
};

describe('a change of mail', () => {
  // @pitfall push every-change
  test('is pushed, whether it is a delivery, an import, a copy, or a create, update or destroy of a /set', async () => {
    const { deployment, pushedAfter } = await pushedDeployment();
    const newMail = ['Email', 'EmailDelivery', 'Mailbox', 'Quota', 'Thread'];
    const { inbox, archive } = (await deployment.roles()) as { inbox: string; archive: string };
    let id = '';
    expect(
      await pushedAfter(async () => {
        id = await deployment.deliver();
      }),
    ).toEqual(newMail);
    const blobId = await deployment.upload(Buffer.from('Subject: Import\r\n\r\nHello'));
    const mailboxIds = { [inbox]: true };
    expect(await pushedAfter(() => deployment.call('Email/import', { emails: { new: { blobId, mailboxIds } } }))).toEqual(newMail);
    const foreign = await deployment.deliver({ accountId: 'acc_bob' });
    const copy = { fromAccountId: 'acc_bob', create: { new: { id: foreign, mailboxIds } } };
    expect(await pushedAfter(() => deployment.call('Email/copy', copy))).toEqual(newMail);
    expect(await pushedAfter(() => deployment.call('Email/set', { create: { new: { mailboxIds, subject: 'Draft' } } }))).toEqual(newMail);
    expect(await pushedAfter(() => deployment.call('Email/set', { update: { [id]: { 'keywords/$flagged': true } } }))).toEqual(['Email']);
    expect(await pushedAfter(() => deployment.call('Email/set', { update: { [id]: { mailboxIds: { [archive]: true } } } }))).toEqual(['Email', 'Mailbox']);
    expect(await pushedAfter(() => deployment.call('Email/set', { destroy: [id] }))).toEqual(['Email', 'Mailbox', 'Quota', 'Thread']);
    expect(await pushedAfter(() => deployment.call('Mailbox/set', { create: { new: { name: 'Work' } } }))).toEqual(['Mailbox']);
  });
});
