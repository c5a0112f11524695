import { partChanges } from '../../../core/sending/part-changes.ts';
import { beforeNextWrite } from '../../support/before-next-write.ts';
import type { Json } from './jmap-deployment.ts';
import { envelopeTo, submissionDeployment, type SubmissionDeployment } from './submission-deployment.ts';

let deployment: SubmissionDeployment;
beforeEach(async () => {
  deployment = await submissionDeployment();
});

/** The next write to the mail table is made, and its response is lost. */
const loseNextResponse = () => {
  const write = deployment.mail.write.bind(deployment.mail);
  deployment.mail.write = async (writes) => {
    deployment.mail.write = write;
    await write(writes);
    throw new Error('the response is lost');
  };
};

/** The submit Lambda begins to send the first part. @returns the state of the part after it. */
const start = async (id: string): Promise<string> => {
  const change = partChanges({
    submissions: deployment.submissions, mail: deployment.store, wire: { region: 'us-east-1', mailTable: deployment.mail.reference },
  });
  const found = await change({ submission_id: id, part: 0 }, ({ submission, part }) =>
    (submission.undo_status === 'canceled' ? part : { ...part, state: 'sending', attempts: 1 }));
  return found!.part.state;
};

const cancel = (id: string) => deployment.call('EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } });
const statuses = async (id: string) =>
  [(await deployment.get(id))['undoStatus'], (await deployment.submissions.find(id))!.submission.undo_status];

/** The sweep queues the first part and postpones its outbox entry. */
const sweep = async (id: string): Promise<void> => {
  const entries = await deployment.submissions.findDueEntries('9', 10);
  const entry = entries.find(({ submission_id }) => submission_id === id)!;
  await deployment.submissions.postponeEntry(entry, new Date(Date.parse(entry.due) + 900_000).toISOString());
};

describe('a cancellation and a send at the same time', () => {
  let id: string;
  beforeEach(async () => {
    id = (await deployment.send(await deployment.draft()))['id'] as string;
  });

  test('end with a final submission and cannotUnsend when the send is first', async () => {
    beforeNextWrite(deployment, () => start(id));
    expect((await cancel(id))['notUpdated'][id]).toMatchObject({ type: 'cannotUnsend' });
    expect(await statuses(id)).toEqual(['final', 'final']);
  });

  test('end with a canceled submission, of which nothing is sent, when the cancellation is first', async () => {
    let canceled: Json = {};
    beforeNextWrite(deployment, async () => { canceled = await cancel(id); });
    expect(await start(id)).toBe('queued');
    expect(canceled).toMatchObject({ updated: { [id]: null } });
    expect(await statuses(id)).toEqual(['canceled', 'canceled']);
  });

  test('end with a canceled submission when the sweep rewrites the outbox entry, and no transaction is sent twice', async () => {
    const { sent } = beforeNextWrite(deployment, () => sweep(id));
    expect(await cancel(id)).toMatchObject({ updated: { [id]: null } });
    expect([new Set(sent).size, sent.length]).toEqual([2, 2]);
    expect(await statuses(id)).toEqual(['canceled', 'canceled']);
    expect(await start(id)).toBe('queued');
    expect(await deployment.sending.query({ pk: 'outbox' })).toEqual([]);
  });

  test('end with a canceled submission when the sweep and another commit are first', async () => {
    beforeNextWrite(deployment, async () => {
      await sweep(id);
      await deployment.call('Mailbox/set', { create: { a: { name: 'Theirs' } } });
    });
    expect(await cancel(id)).toMatchObject({ updated: { [id]: null } });
    expect(await statuses(id)).toEqual(['canceled', 'canceled']);
  });

  test('end with one of both when the response to the cancellation is lost', async () => {
    loseNextResponse();
    expect(await cancel(id)).toMatchObject({ updated: { [id]: null } });
    expect(await start(id)).toBe('queued');
    expect(await statuses(id)).toEqual(['canceled', 'canceled']);
  });
});

describe('a create', () => {
  test('is one submission when the response to its transaction is lost', async () => {
    const emailId = await deployment.draft();
    loseNextResponse();
    const { id } = await deployment.send(emailId);
    expect((await deployment.call('EmailSubmission/query'))['ids']).toEqual([id]);
    expect(await deployment.sending.query({ pk: 'outbox' })).toHaveLength(1);
    expect(deployment.submits.waiting).toHaveLength(1);
  });

  test('is refused when another client destroys its Email first, and leaves no message in the bucket', async () => {
    const emailId = await deployment.draft();
    beforeNextWrite(deployment, () => deployment.call('Email/set', { destroy: [emailId] }));
    expect(await deployment.refusal(emailId)).toMatchObject({ type: 'invalidProperties', properties: ['emailId'] });
    expect(await deployment.objects.list('outgoing/')).toEqual([]);
    expect(await deployment.sending.query({ pk: 'outbox' })).toEqual([]);
  });

  test('does not exceed the limits together with one at the same time', async () => {
    deployment = await submissionDeployment({ sendLimits: { perMinute: 10, perDay: 100 } });
    const emailId = await deployment.draft();
    const six = (prefix: string) => envelopeTo(Array.from({ length: 6 }, (_, index) => `${prefix}${index}@example.net`));
    beforeNextWrite(deployment, () => deployment.send(emailId, six('a')));
    expect(await deployment.refusal(emailId, six('b'))).toMatchObject({ type: 'rateLimit' });
    expect(await deployment.sending.query({ pk: 'outbox' })).toHaveLength(1);
  });

  test('is stored and sent later when the queue fails', async () => {
    const emailId = await deployment.draft();
    deployment.submits.send = () => Promise.reject(new Error('the queue does not answer'));
    const { id } = await deployment.send(emailId);
    expect(await deployment.sending.query({ pk: 'outbox' })).toMatchObject([{ submission_id: id }]);
  });
});
