import { capability } from '../../../../contract/jmap/core.ts';
import { newContentWrites } from '../../../../core/mail/email/email-blobs.ts';
import { emailItem } from '../../../../core/mail/email/email-content.ts';
import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';
import { blobCalls } from './blob-calls.ts';

const deployment = jmapDeploymentPerTest();
const calls = perTest(() => blobCalls(deployment));

const email = async (id: string): Promise<Json> =>
  (await deployment.call('Email/get', { ids: [id], properties: ['blobId', 'threadId', 'mailboxIds', 'textBody'] }))['list'][0] as Json;

describe('Blob/lookup (RFC 9404 §4.3)', () => {
  // @requirement 9404 §4.3 lookup
  test('returns the Emails, Threads and Mailboxes of a message and of its parts', async () => {
    const id = await deployment.deliver();
    await deployment.deliver();
    const { archive } = await deployment.roles();
    const {
      blobId,
      threadId,
      mailboxIds,
      textBody: [{ blobId: part }],
    } = await email(id);
    const lookup = async (typeNames: string[]) => await calls.call('Blob/lookup', { ids: [blobId, part, 'nothing', blobId], typeNames });
    const matchedIds = { Email: [id], Thread: [threadId], Mailbox: Object.keys(mailboxIds as Json) };
    expect(await lookup(['Email', 'Thread', 'Mailbox'])).toEqual({
      accountId: 'acc_alice',
      list: [
        { id: blobId, matchedIds },
        { id: part, matchedIds },
      ],
      notFound: ['nothing'],
    });
    expect((await lookup(['Thread']))['list'][0]).toEqual({ id: blobId, matchedIds: { Thread: [threadId] } });
    expect((await lookup([]))['list'][0]).toEqual({ id: blobId, matchedIds: {} });
    await deployment.call('Email/set', { update: { [id]: { mailboxIds: { [archive!]: true } } } });
    expect((await lookup(['Mailbox']))['list'][0]).toEqual({ id: blobId, matchedIds: { Mailbox: [archive] } });
  });

  test('returns every Email that has the same message', async () => {
    const [original, copy] = [await deployment.deliver(), await deployment.deliver()];
    const record = (await deployment.store.emailContents('acc_alice', [original])).get(original)!;
    const writes = newContentWrites('acc_alice', { ...record, id: copy });
    await deployment.mail.write([{ put: emailItem('acc_alice', { ...record, id: copy }) }, ...writes.slice(1)]);
    const { list } = await calls.call('Blob/lookup', { ids: [record.blobId], typeNames: ['Email', 'Mailbox'] });
    expect(list[0].matchedIds.Email).toEqual([original, copy]);
    expect(list[0].matchedIds.Mailbox).toHaveLength(1);
  });

  test('returns no record for an upload, and nothing for a destroyed Email or a blob of another account', async () => {
    const upload = await calls.upload(Buffer.from('x'));
    const id = await deployment.deliver();
    const { blobId } = await email(id);
    await deployment.call('Email/set', { destroy: [id] });
    const theirs = await deployment.deliver({ accountId: 'acc_bob' });
    const foreign = (await deployment.store.emailContents('acc_bob', [theirs])).get(theirs)!.blobId;
    expect(await calls.call('Blob/lookup', { ids: [upload, blobId, foreign], typeNames: ['Email'] })).toEqual({
      accountId: 'acc_alice',
      list: [{ id: upload, matchedIds: { Email: [] } }],
      notFound: [blobId, foreign],
    });
  });

  // @requirement 9404 §4.3 lookup-unknown-type
  test.each(['Identity', 'PushSubscription', 'email', '', '__proto__'])('refuses the type %j, with unknownDataType', async (typeName) => {
    expect(await calls.call('Blob/lookup', { ids: [], typeNames: ['Email', typeName] })).toMatchObject({ type: 'unknownDataType' });
  });

  test('refuses a type whose capability is not in "using", with unknownDataType', async () => {
    const [[, response] = []] = await deployment.perform([['Blob/lookup', { accountId: 'acc_alice', ids: [], typeNames: ['Email'] }, 'c']], {
      using: [capability.core, capability.blob],
    });
    expect(response).toMatchObject({ type: 'unknownDataType' });
  });

  test('refuses more blobs than maxBlobsInRequest, and arguments of another type', async () => {
    const ids = Array.from({ length: 1001 }, (_, index) => `x${index}`);
    expect(await calls.call('Blob/lookup', { ids, typeNames: ['Email'] })).toMatchObject({ type: 'requestTooLarge' });
    for (const args of [{ ids: [] }, { typeNames: [] }, { ids: null, typeNames: [] }, { ids: [], typeNames: 'Email' }]) {
      expect(await calls.call('Blob/lookup', args)).toMatchObject({ type: 'invalidArguments' });
    }
  });
});
