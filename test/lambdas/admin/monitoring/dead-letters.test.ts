import { failedRecordText } from '../../../../core/runtime/lambda/queue.ts';
import { adminApiPerTest, monitoredResources } from '../../../support/admin-api.ts';
import { snsNotification } from '../../../support/queue-records.ts';

let now: Date;
beforeEach(() => {
  now = new Date('2026-11-21T12:30:20.000Z');
});
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const resources = {
  ...monitoredResources,
  queues: {
    ...monitoredResources.queues,
    'OutboundMail/Waiting': 'submit-1',
    'OutboundMail/Waiting/DeadLetters': 'submit-dead-1',
    'Push/FailedNotifications': 'failed-1',
  },
};
const api = adminApiPerTest({ clock: () => now, resources });

const inbound = { queue: 'InboundMail/Waiting' };
const outbound = { queue: 'OutboundMail/Waiting' };
const notification = (id: string) =>
  snsNotification(
    'inbound',
    JSON.stringify({ notificationType: 'Received', mail: { messageId: id, source: 'ann@elsewhere.test' }, receipt: { recipients: ['alice@example.test'] } }),
  );
const bodiesOf = (queue: string): unknown[] => api.deadLetters.bodies(queue).map((body) => JSON.parse(body) as unknown);
const list = async (request: object = inbound) => (await api.ok('/monitoring/ListDeadLetters', request))['dead_letters'] as Record<string, unknown>[];

describe('ListQueues', () => {
  test('says what waits in each queue, and what could not be processed', async () => {
    api.queueDepths.set('waiting-1', { visible: 3, inFlight: 1, delayed: 2 });
    api.queueDepths.set('dead-1', { visible: 4, inFlight: 1 });
    api.queueDepths.set('failed-1', { visible: 6 });
    const { queues } = await api.ok('/monitoring/ListQueues');
    expect(queues).toEqual([
      { name: 'InboundMail/Waiting', waiting: 3, in_progress: 1, delayed: 2, dead_letters: 5, actions: ['RETRY', 'RETURN', 'DROP'] },
      { name: 'OutboundMail/Waiting', waiting: 0, in_progress: 0, delayed: 0, dead_letters: 0, actions: ['RETRY', 'RETURN'] },
      { name: 'Push/FailedNotifications', waiting: 0, in_progress: 0, delayed: 0, dead_letters: 6, actions: ['DROP'] },
      { name: 'InboundMail/FullAccounts', waiting: 0, in_progress: 0, delayed: 0, dead_letters: 0, actions: [] },
    ]);
  });
});

describe('ListDeadLetters', () => {
  test('lists them, the oldest first, with what they are about and their last error, and leaves them there', async () => {
    const second = api.deadLetters.put('dead-1', notification('ses-2'), ago(100));
    const first = api.deadLetters.put('dead-1', notification('ses-1'), ago(5000));
    const failure = (queueMessageId: string, error_name: string) =>
      JSON.stringify({ level: 'ERROR', message: failedRecordText, queueMessageId, error_name, error_call: 'S3 GetObject', function_request_id: 'aws-1' });
    await api.logs.write('/aws/lambda/Postrider-deliver', [
      { at: ago(4000), message: failure(first, 'Earlier') },
      { at: ago(3000), message: failure(first, 'AccessDenied') },
      { at: ago(10), message: failure('another', 'Other') },
    ]);
    const expected = [
      {
        message_id: first,
        enqueued_at: ago(5000).toISOString(),
        provider_message_id: 'ses-1',
        sender: 'ann@elsewhere.test',
        recipients: ['alice@example.test'],
        failure: {
          timestamp: ago(3000).toISOString(),
          error: 'AccessDenied: S3 GetObject',
          log_group: '/aws/lambda/Postrider-deliver',
          aws_request_id: 'aws-1',
        },
      },
      {
        message_id: second,
        enqueued_at: ago(100).toISOString(),
        provider_message_id: 'ses-2',
        sender: 'ann@elsewhere.test',
        recipients: ['alice@example.test'],
      },
    ];
    expect(await list()).toEqual(expected);
    expect(await list()).toEqual(expected);
    expect(await list({ ...inbound, limit: 1 })).toHaveLength(1);
  });

  test.each([
    [
      'mail that waits for room',
      inbound,
      { kind: 'postponed', postponed: { messageId: 's', sender: 'x@y.test', recipients: ['a@b.test'] } },
      { sender: 'x@y.test' },
    ],
    ['a bounce', inbound, { kind: 'bounce', bounce: { messageId: 's', recipients: ['a@b.test'] } }, { provider_message_id: 's', recipients: ['a@b.test'] }],
    ['a part of a submission', outbound, { submission_id: 'submission_1', part: 0 }, { submission_id: 'submission_1' }],
    ['many recipients', inbound, { kind: 'bounce', bounce: { recipients: Array(500).fill('a@b.test') } }, { recipients: Array(20).fill('a@b.test') }],
    ['fields of another form', inbound, { mail: 1, receipt: [], postponed: null, submission_id: {}, Message: 5, stop: 'x' }, { recipients: [] }],
    ['no object', inbound, null, { recipients: [] }],
  ])('describes %s', async (_, request, body, expected) => {
    api.deadLetters.put(request === inbound ? 'dead-1' : 'submit-dead-1', JSON.stringify(body));
    expect(await list(request)).toEqual([expect.objectContaining(expected)]);
  });

  test('lists a text that is no JSON', async () => {
    api.deadLetters.put('dead-1', '{');
    expect(await list()).toEqual([expect.objectContaining({ recipients: [] })]);
  });
});

describe('an action on dead letters', () => {
  test('RETRY puts the chosen ones back unchanged', async () => {
    const [one] = ['ses-1', 'ses-2'].map((id) => api.deadLetters.put('dead-1', notification(id)));
    expect(await api.ok('/monitoring/RetryDeadLetters', { ...inbound, message_ids: [one] })).toEqual({ done: 1, complete: true });
    expect(api.deadLetters.bodies('waiting-1')).toEqual([notification('ses-1')]);
    expect(api.deadLetters.bodies('dead-1')).toEqual([notification('ses-2')]);
    expect(await list()).toHaveLength(1);
    expect(await api.ok('/monitoring/RetryDeadLetters', { ...inbound, message_ids: [one] })).toEqual({ done: 0, complete: true });
  });

  test('of all acts on each, also on more than a batch', async () => {
    for (let count = 0; count < 35; count++) api.deadLetters.put('dead-1', notification(`ses-${count}`));
    expect(await api.ok('/monitoring/RetryDeadLetters', inbound)).toEqual({ done: 35, complete: true });
    expect(api.deadLetters.bodies('waiting-1')).toHaveLength(35);
    expect(api.deadLetters.bodies('dead-1')).toEqual([]);
  });

  test('ends when its time is over, and says that some are left', async () => {
    for (let count = 0; count < 25; count++) api.deadLetters.put('dead-1', notification(`ses-${count}`));
    api.deadLetters.send = async () => {
      now = new Date(now.getTime() + 2000);
    };
    expect(await api.ok('/monitoring/RetryDeadLetters', inbound)).toEqual({ done: 10, complete: false });
    expect(api.deadLetters.bodies('dead-1')).toHaveLength(15);
  });

  test('RETURN and DROP stop the delivery of received mail in its own Lambda', async () => {
    const record = notification('ses-1');
    api.deadLetters.put('dead-1', record);
    await api.ok('/monitoring/ReturnDeadLetters', inbound);
    expect(bodiesOf('waiting-1')).toEqual([{ kind: 'stop', stop: { how: 'return', record } }]);
    api.deadLetters.put('dead-1', record);
    await api.ok('/monitoring/DropDeadLetters', { ...inbound, confirm_queue: inbound.queue });
    expect(bodiesOf('waiting-1')[1]).toEqual({ kind: 'stop', stop: { how: 'drop', record } });
  });

  test('mail that could not be returned says why, is not returned again, and can be tried or dropped', async () => {
    const record = notification('ses-1');
    const refused = JSON.stringify({ kind: 'stop', stop: { how: 'return', record, refused: 'null sender' } });
    api.deadLetters.put('dead-1', refused);
    expect(await list()).toEqual([expect.objectContaining({ provider_message_id: 'ses-1', not_returned: 'null sender' })]);
    expect(await api.ok('/monitoring/ReturnDeadLetters', inbound)).toEqual({ done: 0, complete: true });
    expect(await list()).toHaveLength(1);
    await api.ok('/monitoring/RetryDeadLetters', inbound);
    api.deadLetters.put('dead-1', refused);
    await api.ok('/monitoring/DropDeadLetters', { ...inbound, confirm_queue: inbound.queue });
    expect(bodiesOf('waiting-1')).toEqual([JSON.parse(record), { kind: 'stop', stop: { how: 'drop', record } }]);
  });

  test('DROP only removes what could not be dropped by its Lambda', async () => {
    api.deadLetters.put('dead-1', JSON.stringify({ kind: 'stop', stop: { how: 'drop', record: '{' } }));
    expect(await api.ok('/monitoring/DropDeadLetters', { ...inbound, confirm_queue: inbound.queue })).toEqual({ done: 1, complete: true });
    expect([...api.deadLetters.bodies('dead-1'), ...api.deadLetters.bodies('waiting-1')]).toEqual([]);
  });

  test('RETURN gives up mail to be sent; what is no part of a submission stays', async () => {
    api.deadLetters.put('submit-dead-1', JSON.stringify({ submission_id: 'submission_1', part: 2 }));
    api.deadLetters.put('submit-dead-1', '{}');
    expect(await api.ok('/monitoring/ReturnDeadLetters', outbound)).toEqual({ done: 1, complete: true });
    expect(bodiesOf('submit-1')).toEqual([{ submission_id: 'submission_1', part: 2, stopped: true }]);
    expect(bodiesOf('submit-dead-1')).toEqual([{}]);
  });

  test('loses nothing when a queue takes no messages', async () => {
    api.deadLetters.put('dead-1', notification('ses-1'));
    api.deadLetters.send = () => Promise.reject(new Error('away'));
    expect((await api.call('/monitoring/RetryDeadLetters', inbound)).status).toBe(500);
    expect(await list()).toHaveLength(1);
  });

  test.each([
    ['/monitoring/ListDeadLetters', { queue: 'constructor' }, 'not_found'],
    ['/monitoring/RetryDeadLetters', { queue: 'InboundMail/Waiting/DeadLetters' }, 'not_found'],
    ['/monitoring/RetryDeadLetters', { queue: 'Push/FailedNotifications' }, 'failed_precondition'],
    ['/monitoring/DropDeadLetters', { ...outbound, confirm_queue: outbound.queue }, 'failed_precondition'],
    ['/monitoring/DropDeadLetters', { ...inbound, confirm_queue: 'InboundMail' }, 'failed_precondition'],
    ['/monitoring/DropDeadLetters', inbound, 'invalid_argument'],
  ])('%s %j is refused with %s and removes nothing', async (path, request, code) => {
    for (const queue of ['dead-1', 'submit-dead-1', 'failed-1']) api.deadLetters.put(queue, '{}');
    expect((await api.call(path, request)).body.code).toBe(code);
    for (const queue of ['dead-1', 'submit-dead-1', 'failed-1']) expect(api.deadLetters.bodies(queue)).toEqual(['{}']);
  });

  test('is audited with the queue and the count, and without addresses', async () => {
    api.deadLetters.put('dead-1', notification('ses-1'));
    await api.ok('/monitoring/RetryDeadLetters', inbound);
    const [entry] = await api.auditLogs('monitoring/RetryDeadLetters');
    expect(entry).toMatchObject({ entity_name: inbound.queue, metadata: { messages: 'all', done: '1' } });
    expect(JSON.stringify(entry)).not.toContain('alice');
  });
});
