import { sendingRightsIn } from '../../../../core/directory/aliases/may-send.ts';
import { senderRefusal } from '../../../../lambdas/submit/submit-dependencies.ts';
import { eventsAbout } from '../../../support/account-submission.ts';
import { perTest } from '../../../support/per-test.ts';
import { sendPipeline } from '../../../support/send-pipeline.ts';
import type { Json } from '../jmap-deployment.ts';
import { envelopeTo, submissionDeploymentPerTest } from './submission-deployment.ts';

const deployment = submissionDeploymentPerTest();
const pipeline = perTest(() =>
  sendPipeline({
    table: deployment.sending,
    mailTable: deployment.mail,
    objects: deployment.objects,
    refusalOf: senderRefusal(sendingRightsIn(deployment.directory)),
  }),
);

/** Passes the queued parts of submissions to the submit Lambda. */
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

describe('a submission that is held while its sender', () => {
  let id: string;
  beforeEach(async () => {
    const held = await deployment.send(await deployment.draft(), envelopeTo(['bob@example.net'], { HOLDFOR: '7200' }));
    expect(held).toMatchObject({ sendAt: '2026-11-21T10:00:00Z' });
    id = held['id'] as string;
  });
  /** What ResetPassword, and a deactivation, store about the sender. */
  const revokedAt = (time: string, attributes: Json = {}) => deployment.addUser('alice', { tokens_revoked_at: time, ...attributes });
  /** Runs the sweep and the submit Lambda at the time of the submission, and again two times. */
  const submitThrice = async (): Promise<void> => {
    pipeline.advance(Date.parse('2026-11-21T10:00:01Z') - pipeline.clock().getTime());
    for (let run = 0; run < 3; run++) {
      await pipeline.sweep();
      await pipeline.submit([...pipeline.queue.take(), JSON.stringify({ submission_id: id, part: 0 })]);
      pipeline.advance(20 * 60_000);
    }
  };

  test('gets a new password is sent once, at its time', async () => {
    await revokedAt('2026-11-21T08:30:00.000Z');
    await pipeline.submit();
    expect(pipeline.sender.sent).toEqual([]);
    await submitThrice();
    expect(pipeline.sender.sent).toMatchObject([{ from: 'alice@example.test', recipients: ['bob@example.net'] }]);
  });

  test('gets a new password can be canceled after the next sign-in, and not with an earlier token', async () => {
    await revokedAt('2026-11-21T08:30:00.000Z');
    deployment.tokens['again'] = { ...deployment.tokens['alice']!, clientId: 'another-client', authenticatedAt: Date.parse('2026-11-21T08:31:00Z') / 1000 };
    const canceling = { update: { [id]: { undoStatus: 'canceled' } } };
    await expect(deployment.call('EmailSubmission/set', canceling)).rejects.toThrow('401');
    expect(await deployment.call('EmailSubmission/set', canceling, 'again')).toMatchObject({ updated: { [id]: null } });
    await submitThrice();
    expect(pipeline.sender.sent).toEqual([]);
  });

  test('is deactivated is not sent, with the reason in its status, also after a reactivation', async () => {
    await revokedAt('2026-11-21T08:30:00.000Z', { is_active: false });
    await submitThrice();
    await revokedAt('2026-11-21T08:30:00.000Z');
    await submitThrice();
    expect(pipeline.sender.sent).toEqual([]);
    deployment.tokens['again'] = { ...deployment.tokens['alice']!, authenticatedAt: Date.parse('2026-11-21T08:31:00Z') / 1000 };
    const [response] = await deployment.perform([['EmailSubmission/get', { ids: [id] }]], 'again');
    expect((response![1]['list'] as Json[])[0]!['deliveryStatus']['bob@example.net']).toMatchObject({
      delivered: 'no',
      smtpReply: '550 5.7.1 not sent: The person is not active.',
    });
  });

  test('is deactivated and activated again before its time is sent once', async () => {
    await revokedAt('2026-11-21T08:30:00.000Z', { is_active: false });
    await revokedAt('2026-11-21T08:30:00.000Z');
    await submitThrice();
    expect(pipeline.sender.sent).toHaveLength(1);
  });
});
