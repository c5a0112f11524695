import { unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { messageBlobId } from '../../../../core/mail/email/blob-id.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();
beforeEach(async () => {
  await deployment.addMember('alice', 'acc_bob', 'READ', false);
});

const upload = (content: string): Promise<string> => deployment.upload(Buffer.from(content), 'acc_bob');
const copy = (blobIds: readonly string[], more: Json = {}, options = {}) =>
  deployment.call('Blob/copy', { fromAccountId: 'acc_bob', accountId: 'acc_alice', blobIds, ...more }, options);
const contentOf = async (blobId: string, accountId = 'acc_alice'): Promise<string | undefined> => {
  const { blobs } = deployment.jmap.dependencies;
  const blob = (await blobs.find(accountId, [blobId])).get(blobId);
  return blob && (await blobs.read(blob))?.toString();
};

describe('Blob/copy', () => {
  // @requirement 8620 §6.3 blob-copy
  test('copies an upload, which has the same id in the other account', async () => {
    const blobId = await upload('some text');
    expect(await copy([blobId])).toEqual({ fromAccountId: 'acc_bob', accountId: 'acc_alice', copied: { [blobId]: blobId }, notCopied: null });
    expect(await contentOf(blobId)).toBe('some text');
  });

  test('copies a message and a decoded part of it', async () => {
    const raw = ['From: a@example.net', 'Content-Type: text/plain', 'Content-Transfer-Encoding: base64', '', Buffer.from('hello').toString('base64'), ''];
    const email = await deployment.deliver({ accountId: 'acc_bob', raw: raw.join('\n') });
    const [{ textBody }] = (await deployment.call('Email/get', { accountId: 'acc_bob', ids: [email], properties: ['textBody'] }))['list'] as [Json];
    const [message, part] = [messageBlobId(email.slice(1)), textBody[0].blobId as string];
    const { copied } = await copy([message, part]);
    expect(await contentOf(copied[message] as string)).toBe(raw.join('\r\n'));
    expect(await contentOf(copied[part] as string)).toBe('hello');
  });

  // @requirement 8620 §6.3 blob-copy-not-found
  test('lists blobs that do not exist, and those of the target account, as notFound', async () => {
    const own = await deployment.deliver({ id: 'own' });
    const missing = ['U'.padEnd(23, 'x'), 'nothing', messageBlobId(own.slice(1))];
    const { copied, notCopied } = await copy(missing);
    expect([copied, Object.entries(notCopied as Record<string, Json>).map(([id, { type }]) => [id, type as string])]).toEqual([
      null,
      missing.map((id) => [id, 'notFound']),
    ]);
    expect(await copy([])).toMatchObject({ copied: null, notCopied: null });
  });

  test('needs the core capability only', async () => {
    const blobId = await upload('x');
    const [[name]] = (await deployment.perform([['Blob/copy', { fromAccountId: 'acc_bob', accountId: 'acc_alice', blobIds: [blobId] }, 'c']], {
      using: ['urn:ietf:params:jmap:core'],
    })) as unknown as [[string]];
    expect(name).toBe('Blob/copy');
  });

  // @requirement 8620 §6.3 blob-copy-from-not-found
  test.each([
    ['one account twice', { fromAccountId: 'acc_alice' }, 'invalidArguments'],
    ['a source of others', { fromAccountId: 'acc_none' }, 'fromAccountNotFound'],
    ['a target of others', { accountId: 'acc_none' }, 'accountNotFound'],
    ['blob ids that are no list', { blobIds: 'x' }, 'invalidArguments'],
    ['too many blobs', { blobIds: Array.from({ length: unadvertisedLimits.maxBlobsInRequest + 1 }, (_, i) => `b${i}`) }, 'requestTooLarge'],
  ])('refuses %s', async (_title, more, type) => {
    expect(await copy([], more)).toMatchObject({ type });
  });

  test('refuses a target that the caller may only read, with accountReadOnly', async () => {
    expect(await copy([await upload('x')], { fromAccountId: 'acc_bob', accountId: 'acc_alice' }, { token: 'bob' })).toMatchObject({ type: 'accountReadOnly' });
  });
});
