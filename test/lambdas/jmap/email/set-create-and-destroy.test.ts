import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

describe('an Email/set that destroys an Email and creates another one from its blobs', () => {
  const deployment = jmapDeploymentPerTest();
  let inbox: string;
  beforeEach(async () => {
    inbox = (await deployment.roles())['inbox']!;
  });

  // @requirement 8620 §6 blob-same-call
  test('attaches the message of the destroyed Email, because its last reference ends with the call', async () => {
    const old = await deployment.deliver({ subject: 'Old' });
    const {
      list: [{ blobId, size }],
    } = (await deployment.call('Email/get', { ids: [old], properties: ['blobId', 'size'] })) as { list: [{ blobId: string; size: number }] };
    const draft: Json = { mailboxIds: { [inbox]: true }, subject: 'New', attachments: [{ blobId, type: 'message/rfc822' }] };
    const { created, destroyed } = await deployment.call('Email/set', { create: { draft }, destroy: [old] });
    expect(destroyed).toEqual([old]);
    expect((await deployment.call('Email/get', { ids: [created.draft.id], properties: ['attachments'] }))['list']).toMatchObject([
      { attachments: [{ type: 'message/rfc822', size }] },
    ]);
  });
});
