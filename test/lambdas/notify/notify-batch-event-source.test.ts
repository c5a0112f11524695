import { eventSourceWait } from '../../../contract/jmap/push.ts';
import { putEventSource, type EventSourceListener } from '../../../core/push/listeners/event-source-listener.ts';
import { notifierInMemory, seconds } from '../../support/notifier.ts';

describe('a client of the event source', () => {
  const queueUrl = 'https://sqs.test/1/wait-0';
  const wakesOf = async (more: Partial<EventSourceListener>): Promise<number> => {
    const { person, account, mail, deliver, takeStreamRecords, run, waitQueue } = notifierInMemory();
    await person('user_alice');
    await account('acc_alice', 'user_alice');
    await putEventSource(mail, {
      principalId: 'user_alice',
      name: 'client',
      types: null,
      notifiedUpTo: new Map([['acc_alice', 1]]),
      answeredAt: seconds,
      expiresAt: seconds + 900,
      ...more,
    });
    takeStreamRecords();
    await deliver('acc_alice');
    expect(await run(takeStreamRecords())).toEqual([]);
    return waitQueue(queueUrl).messages.length;
  };

  test.each<[string, number, Partial<EventSourceListener>]>([
    ['two messages, since a wait that was given up may take one', 2, { queueUrl }],
    ['none, when it wants none of the changes', 0, { queueUrl, types: ['Identity'] }],
    ['none, when it does not wait', 0, {}],
    ['none, when it was forgotten', 0, { queueUrl, expiresAt: seconds - 1 }],
  ])('is woken by %s', async (_what, wakes, listener) => {
    expect(await wakesOf(listener)).toBe(wakes);
  });

  test('is one of a limited number that a change wakes, and keeps no socket of the user from it', async () => {
    const { person, account, mail, deliver, takeStreamRecords, run, waitQueue, socket, received } = notifierInMemory();
    await person('user_alice');
    await account('acc_alice', 'user_alice');
    await socket('user_alice', 'c1');
    for (let number = 0; number < 3 * eventSourceWait.wokenClients; number++) {
      await putEventSource(mail, {
        principalId: 'user_alice',
        name: `client${number}`,
        types: null,
        notifiedUpTo: new Map([['acc_alice', 1]]),
        answeredAt: seconds,
        expiresAt: seconds + 900,
        queueUrl,
      });
    }
    takeStreamRecords();
    await deliver('acc_alice');
    expect(await run(takeStreamRecords())).toEqual([]);
    expect(received('c1')).toHaveLength(1);
    const woken = waitQueue(queueUrl).messages.length / eventSourceWait.wakes;
    expect(woken).toBeGreaterThanOrEqual(eventSourceWait.wokenClients);
    expect(woken).toBeLessThan(3 * eventSourceWait.wokenClients);
  });
});
