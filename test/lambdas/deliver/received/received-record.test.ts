import { receivedMessagesIn } from '../../../../core/mail/delivery/received-messages.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import { faultyObjects } from '../../../fakes/faulty-objects.ts';
import { faultyTable, takeTurn, writeWithFault, type LambdaProcess } from '../../../fakes/faulty-table.ts';
import { receivedMail, type ReceivedMail } from '../../admin/mail-feedback/received-messages.ts';

type Fault = 'lost before' | 'lost after' | 'crash before' | 'crash after';

const noTurns = async () => undefined;

/** Delivers a record by a Lambda whose step with this number has the fault. @returns whether it came so far. */
const deliverWithFault = async ({ mail }: ReceivedMail, body: string, faultyStep: number, fault: Fault): Promise<boolean> => {
  let steps = 0;
  const lambda: LambdaProcess = { hasCrashed: false };
  const nextFault = () => (++steps === faultyStep ? fault : 'none');
  const mailTable = faultyTable(mail.mailTable, noTurns, nextFault, lambda);
  const objects = faultyObjects(mail.objects, noTurns, nextFault, lambda);
  const send: typeof mail.queue.send = async (...given) => {
    await takeTurn(lambda, noTurns);
    await writeWithFault({ lambda, yieldTurn: noTurns, fault: nextFault(), write: () => mail.queue.send(...given) });
  };
  await mail.deliver([body], {
    objects,
    mailTable,
    mailStore: mailStore({ table: mailTable, pause: noTurns }),
    queue: { send },
    received: receivedMessagesIn(faultyTable(mail.sendingTable, noTurns, nextFault, lambda)),
  });
  return steps >= faultyStep;
};

describe('the record of a received message', () => {
  test.each<Fault>(['lost before', 'lost after', 'crash before', 'crash after'])(
    'is there once, and says what happened, after the fault "%s" at any step of the delivery',
    async (fault) => {
      let step = 0;
      for (let isReached = true; isReached;) {
        step++;
        const received = await receivedMail();
        await received.mail.mailStore.setQuota('acc_bob', { octets: 1 });
        const body = await received.arrive({ to: ['alice@example.test', 'nobody@example.test', 'bob@example.test'] });
        isReached = await deliverWithFault(received, body, step, fault);
        await received.deliverBodies([body]);
        await received.handleQueue();
        const messages = await received.list();
        expect([step, messages.map(({ recipients }) => recipients!.map(({ outcome }) => outcome))]).toEqual([
          step,
          [['DELIVERED', 'BOUNCED', 'WAITS_FOR_ROOM']],
        ]);
        expect([step, received.mail.bounces.sent.length, (await received.mail.emails('acc_alice', 'inbox')).length]).toEqual([step, 1, 1]);
      }
      // At least two copies, an Email, two messages of the queue, and the record with its listings.
      expect(step).toBeGreaterThan(8);
    },
  );
});
