import { withinInvocation } from '../../../../core/runtime/invocation.ts';
import { partChanges } from '../../../../core/sending/submission/part-changes.ts';
import { WriteRefused } from '../../../../core/storage/table.ts';
import { beforeNextWrite } from '../../../support/before-next-write.ts';
import { contextWith } from '../../../support/queue-records.ts';
import type { Json } from '../jmap-deployment.ts';
import { envelopeTo, submissionDeployment, type SubmissionDeployment } from './submission-deployment.ts';

let deployment: SubmissionDeployment;
beforeEach(async () => {
  deployment = await submissionDeployment();
});

/** Makes the next write to the mail table, but loses its response. */
const loseNextResponse = () => {
  const write = deployment.mail.write.bind(deployment.mail);
  deployment.mail.write = async (writes) => {
    deployment.mail.write = write;
    await write(writes);
    throw new Error('the response is lost');
  };
};

/** Makes the call while the next writes of the mail table have this result, and the Lambda has little time left. */
const failingWrites = async <T>(answer: (write: () => Promise<void>) => Promise<void>, call: () => Promise<T>): Promise<T> => {
  const write = deployment.mail.write.bind(deployment.mail);
  deployment.mail.write = (writes) => answer(() => write(writes));
  try {
    return await withinInvocation(contextWith(5001), call);
  } finally {
    deployment.mail.write = write;
  }
};

const lost = async (): Promise<void> => {
  throw new Error('the response is lost');
};
const outgoing = () => deployment.objects.list('outgoing/');

/** Makes the submit Lambda begin to send the first batch. @returns the state of the batch. */
const start = async (id: string): Promise<string> => {
  const change = partChanges({
    submissions: deployment.submissions,
    mail: deployment.store,
    wire: { region: 'us-east-1', mailTable: deployment.mail.reference },
  });
  const found = await change({ submission_id: id, part: 0 }, ({ submission, part }) =>
    submission.undo_status === 'canceled' ? part : { ...part, state: 'sending', attempts: 1 },
  );
  return found!.part.state;
};

const cancel = (id: string) => deployment.call('EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } });
const statuses = async (id: string) => [(await deployment.get(id))['undoStatus'], (await deployment.submissions.find(id))!.submission.undo_status];

/** Makes the sweep queue the first batch and postpone its outbox entry. */
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
    beforeNextWrite(deployment, async () => {
      canceled = await cancel(id);
    });
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
  test('results in one submission when the response to its transaction is lost', async () => {
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

  test.each([
    [
      'the state is not the one of ifInState any more',
      'stateMismatch',
      async (emailId: string, state: string) => {
        beforeNextWrite(deployment, () => deployment.send(emailId));
        return deployment.call('EmailSubmission/set', { ...deployment.creating(emailId), ifInState: state });
      },
    ],
    [
      'other requests are faster until the Lambda has no time',
      'serverUnavailable',
      (emailId: string) =>
        failingWrites(
          async () => {
            throw new WriteRefused([], true);
          },
          () => deployment.create(emailId),
        ),
    ],
  ])('that fails because %s leaves no message in the bucket', async (_cause, type, act) => {
    const emailId = await deployment.draft();
    const response = await act(emailId, await deployment.state());
    const sent = await deployment.sending.query({ pk: 'outbox' });
    expect([response['type'], (await outgoing()).length]).toEqual([type, sent.length]);
  });

  test('leaves no message in the bucket when one of its messages cannot be stored', async () => {
    const emailId = await deployment.draft();
    const put = deployment.objects.put.bind(deployment.objects);
    let stored = 0;
    deployment.objects.put = (...args) => (++stored === 2 ? Promise.reject(new Error('the bucket does not answer')) : put(...args));
    const {
      create: { s },
    } = deployment.creating(emailId) as { create: { s: Json } };
    expect(await deployment.call('EmailSubmission/set', { create: { a: s, b: s, c: s } })).toMatchObject({ type: 'serverFail' });
    expect([stored, await outgoing()]).toEqual([3, []]);
  });

  test('leaves no message in the bucket when it also cancels a submission that cannot be read', async () => {
    const { id } = await deployment.send(await deployment.draft(), { ...envelopeTo(['bob@example.net']) });
    const before = await outgoing();
    const emailId = await deployment.draft();
    deployment.sending.batchGet = async () => {
      while ((await outgoing()).length === before.length)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      throw new Error('the table does not answer');
    };
    const set = { ...deployment.creating(emailId), update: { [id as string]: { undoStatus: 'canceled' } } };
    expect(await deployment.call('EmailSubmission/set', set)).toMatchObject({ type: 'serverFail' });
    expect(await outgoing()).toEqual(before);
  });

  test('keeps only the messages of the written part when the commit fails halfway', async () => {
    const emailId = await deployment.draft();
    const {
      create: { s },
    } = deployment.creating(emailId) as { create: { s: Json } };
    let written = 0;
    const response = await failingWrites(
      (write) => (written++ === 0 ? write() : Promise.reject(new WriteRefused([], true))),
      () => deployment.call('EmailSubmission/set', { create: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`c${index}`, s])) }),
    );
    const ids = (await deployment.call('EmailSubmission/query'))['ids'] as string[];
    expect([response['type'], ids.length > 0 && ids.length < 30]).toEqual(['serverPartialFail', true]);
    expect((await outgoing()).map(({ key }) => key.split('/').at(-1)!).toSorted()).toEqual(ids.toSorted());
  });

  test.each([
    [
      'were made',
      async (write: () => Promise<void>) =>
        write()
          .catch(() => undefined)
          .then(lost),
    ],
    ['were not made', lost],
  ])('keeps its message when the responses to its transactions are lost, which %s, and says that it may be made', async (_case, answer) => {
    const emailId = await deployment.draft();
    const read = deployment.mail.query.bind(deployment.mail);
    let writes = 0;
    const response = await failingWrites(
      async (write) => {
        // Nothing can be read after the write.
        if (writes++ === 0) deployment.mail.query = () => Promise.reject(new Error('the table does not answer'));
        await answer(write);
      },
      () => deployment.create(emailId),
    );
    deployment.mail.query = read;
    expect(response).toMatchObject({ type: 'serverPartialFail' });
    expect(await outgoing()).toHaveLength(1);
  });

  test('does not exceed the limits together with a concurrent one', async () => {
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
