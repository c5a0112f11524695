import { eventsAbout } from '../../support/account-submission.ts';
import { perTest } from '../../support/per-test.ts';
import { sendPipeline } from '../../support/send-pipeline.ts';
import type { Json } from './jmap-deployment.ts';
import { envelopeTo, submissionDeploymentPerTest } from './submission-deployment.ts';

const deployment = submissionDeploymentPerTest();
const pipeline = perTest(() => sendPipeline({ table: deployment.sending, mailTable: deployment.mail, objects: deployment.objects }));

/** Passes the queued send batches to the submit Lambda. */
const submit = () => pipeline.submit(deployment.submits.take());

const statusOf = async (id: string, address: string): Promise<Json> => ((await deployment.get(id))['deliveryStatus'] as Json)[address] as Json;

describe('a submission over JMAP', () => {
  test('is sent by the submit Lambda as it was accepted, becomes final, and its clients see the change', async () => {
    const id = (await deployment.send(await deployment.draft()))['id'] as string;
    const before = await deployment.state();
    expect(await submit()).toEqual([]);
    expect(pipeline.sender.sent).toMatchObject([{ from: 'alice@example.test', recipients: ['bob@example.net'], identity_id: 'alias_alice' }]);
    expect(await deployment.get(id)).toMatchObject({ undoStatus: 'final' });
    expect(await deployment.call('EmailSubmission/changes', { sinceState: before })).toMatchObject({ updated: [id] });
    const refused = await deployment.call('EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } });
    expect(refused['notUpdated'][id]).toMatchObject({ type: 'cannotUnsend' });
  });

  test('is not sent once it is canceled', async () => {
    const id = (await deployment.send(await deployment.draft()))['id'] as string;
    await deployment.call('EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } });
    expect(await submit()).toEqual([]);
    expect(pipeline.sender.sent).toEqual([]);
  });

  test('is sent after its record is destroyed', async () => {
    const id = (await deployment.send(await deployment.draft()))['id'] as string;
    await deployment.call('EmailSubmission/set', { destroy: [id] });
    expect(await submit()).toEqual([]);
    expect(pipeline.sender.sent).toHaveLength(1);
    expect(await deployment.call('EmailSubmission/query')).toMatchObject({ ids: [] });
  });

  test('to a single suppressed address is accepted, and fails visibly for that recipient', async () => {
    const emailId = await deployment.draft();
    const first = (await deployment.send(emailId, envelopeTo(['gone@example.net'])))['id'] as string;
    await submit();
    await pipeline.recordEvents(eventsAbout('gone@example.net', { submission: first, id: pipeline.sender.sent[0]!.id }).bounce('Permanent', 2));
    expect(await statusOf(first, 'gone@example.net')).toMatchObject({ delivered: 'no', smtpReply: expect.stringMatching(/^5\d\d 5\.\d+\.\d+ \S/) });
    expect((await deployment.get(first))['dsnBlobIds']).toHaveLength(1);

    const alone = (await deployment.send(emailId, envelopeTo(['Gone@example.net'])))['id'] as string;
    const both = (await deployment.send(emailId, envelopeTo(['gone@example.net', 'bob@example.net'])))['id'] as string;
    await submit();
    expect(await statusOf(alone, 'Gone@example.net')).toMatchObject({ delivered: 'no', smtpReply: expect.stringContaining('not sent') });
    expect(await statusOf(both, 'gone@example.net')).toMatchObject({ delivered: 'no' });
    expect(pipeline.sender.sent.slice(1).map(({ recipients }) => recipients)).toEqual([['bob@example.net']]);
  });
});
