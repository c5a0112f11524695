import { createDraftSaver } from '../../../webmail/compose/draft-saver.ts';
import { undoSending, ChangedElsewhere, checkSaved, NotSent, sendDraft } from '../../../webmail/compose/send-draft.ts';
import type { Identity } from '../../../webmail/jmap/types.ts';
import { submissionDeploymentPerTest } from '../../lambdas/jmap/email-submission/submission-deployment.ts';
import { aDraft, composeClient } from './compose-client.ts';

const deployment = submissionDeploymentPerTest();
const identity: Identity = { id: 'alias_alice', name: 'Alice', email: 'alice@example.test', replyTo: null, bcc: null, textSignature: '', htmlSignature: '' };

const start = async () => {
  const client = await composeClient(deployment);
  const saver = createDraftSaver({ ...client, newMessageId: () => 'other@example.test', onState: () => undefined });
  saver.update(aDraft);
  const saved = await saver.flush();
  const inMailbox = async (mailboxId: string) => {
    const { ids } = await deployment.call('Email/query', { filter: { inMailbox: mailboxId } });
    const { list } = await deployment.call('Email/get', { ids, properties: ['subject', 'keywords'] });
    return (list as { subject: string; keywords: Record<string, true> }[]).map(({ subject, keywords }) => [subject, ...Object.keys(keywords).sort()]);
  };
  const submissions = async () => (await deployment.call('EmailSubmission/get', { ids: null }))['list'] as { undoStatus: string; envelope: object }[];
  return {
    ...client,
    dependencies: { ...client, maxDelayedSend: 100 },
    saved,
    submissions,
    inDrafts: () => inMailbox(client.draftsId),
    inSent: () => inMailbox(client.sentId),
  };
};

const keywordsOf = async (id: string): Promise<string[]> => {
  const { list } = await deployment.call('Email/get', { ids: [id], properties: ['keywords'] });
  return Object.keys((list as { keywords: object }[])[0]!.keywords);
};

test.each([
  ['reply', '$answered'],
  ['replyAll', '$answered'],
  ['forward', '$forwarded'],
  ['forwardAsAttachment', '$forwarded'],
] as const)('sends a %s in one request, once, and marks its original', async (use, keyword) => {
  const { dependencies, network, saved, inDrafts, inSent, submissions } = await start();
  const original = await deployment.deliver();
  const before = network.sent.length;
  const draft = { ...aDraft, text: 'Final', original: { emailId: original, use } };
  await sendDraft(dependencies, draft, identity, { saved, seconds: 10 });
  expect(network.sent.length - before).toBe(1);
  expect([await inDrafts(), await inSent(), await keywordsOf(original)]).toEqual([[], [['Hello', '$seen']], [keyword]]);
  expect(await submissions()).toMatchObject([
    { undoStatus: 'pending', envelope: { mailFrom: { parameters: { HOLDFOR: '10' } }, rcptTo: [{ email: 'bob@elsewhere.test' }] } },
  ]);
});

test('what is canceled is a draft again, its original is not answered, and it can be sent then', async () => {
  const { dependencies, saved, inDrafts, inSent, submissions } = await start();
  const original = await deployment.deliver();
  const draft = { ...aDraft, original: { emailId: original, use: 'reply' as const } };
  const sent = await sendDraft(dependencies, draft, identity, { saved, seconds: 10 });
  await undoSending(dependencies, sent, draft);
  expect([await inDrafts(), await inSent(), await keywordsOf(original)]).toEqual([[['Hello', '$draft', '$seen']], [], []]);
  await sendDraft(dependencies, draft, identity, { saved: { draft, emailId: sent.emailId }, seconds: 0 });
  expect([await inDrafts(), await inSent()]).toEqual([[], [['Hello', '$seen']]]);
  expect((await submissions()).map(({ undoStatus }) => undoStatus).sort()).toEqual(['canceled', expect.not.stringContaining('canceled')]);
});

test.each(['lost request', 'lost response'] as const)('is sent once after a %s', async (fault) => {
  const { dependencies, network, saved, inDrafts, inSent, submissions } = await start();
  let count = 0;
  network.fault = (body) => (body.includes('EmailSubmission/set') && count++ === 0 ? fault : undefined);
  const sent = await sendDraft(dependencies, aDraft, identity, { saved, seconds: 10 });
  expect([await inDrafts(), await inSent(), (await submissions()).length]).toEqual([[], [['Hello', '$seen']], 1]);
  await undoSending(dependencies, sent, aDraft);
  expect(await inDrafts()).toHaveLength(1);
});

test.each([
  ['a recipient that is refused', { ...aDraft, to: [{ name: null, email: 'no address' }] }, ['no address']],
  ['no recipients', { ...aDraft, to: [] }, []],
])('a message with %s remains one draft, and its original is not answered', async (_, wrong, invalid) => {
  const { dependencies, saved, inDrafts, inSent, submissions } = await start();
  const original = await deployment.deliver();
  const draft = { ...wrong, original: { emailId: original, use: 'reply' as const } };
  const error = await sendDraft(dependencies, draft, identity, { saved, seconds: 10 }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NotSent);
  expect((error as NotSent).invalidRecipients).toEqual(invalid);
  expect([await inSent(), await submissions(), await keywordsOf(original)]).toEqual([[], [], []]);
  expect((await inDrafts()).length).toBe((error as NotSent).saved === undefined ? 0 : 1);
});

test('a draft that was sent elsewhere is not sent again', async () => {
  const { dependencies, call, saved } = await start();
  await checkSaved(call, saved!);
  await sendDraft(dependencies, aDraft, identity, { saved, seconds: 10 });
  await expect(checkSaved(call, saved!)).rejects.toThrow(ChangedElsewhere);
});
