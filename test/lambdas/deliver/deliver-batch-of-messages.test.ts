import { emailsOf } from '../../../core/mail/email/email-type.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { StoreConflict } from '../../../core/runtime/domain-errors.ts';
import { faultyTable, type Fault } from '../../fakes/faulty-table.ts';
import { deliverDeployment, type DeliverDeployment } from './deliver-deployment.ts';

let mail: DeliverDeployment;
beforeEach(async () => {
  mail = await deliverDeployment();
});

const range = (length: number) => Array.from({ length }, (_, index) => index);
const message = (id: string, fields: readonly string[] = [], subject = id): string =>
  [`Subject: ${subject}`, `Message-ID: <${id}@example.net>`, ...fields, '', `Text of ${id}`, ''].join('\r\n');
const arrive = (id: string, recipients: readonly string[] = ['alice@example.test'], raw = message(id)) => mail.arrive(id, raw, recipients);
const arrivals = (count: number, prefix = 'ses'): Promise<string[]> => Promise.all(range(count).map((number) => arrive(`${prefix}-${number}`)));
const sequence = async (accountId: string): Promise<number> => (await mail.view(accountId)).sequence;
const count = async (accountId: string): Promise<number> => emailsOf(await mail.view(accountId)).size;
const inbound = () => mail.objects.keys().filter((key) => key.startsWith('inbound/'));

describe('a batch of messages', () => {
  test('to one account is one commit for each account of the batch', async () => {
    const bodies = [...(await arrivals(8)), await arrive('bob', ['bob@example.test']), await arrive('both', ['alice@example.test', 'bob@example.test'])];
    const before = [await sequence('acc_alice'), await sequence('acc_bob')];
    expect(await mail.deliverAtOnce(bodies)).toEqual([]);
    expect([await sequence('acc_alice'), await sequence('acc_bob')]).toEqual(before.map((each) => each + 1));
    expect([await count('acc_alice'), await count('acc_bob'), inbound()]).toEqual([9, 2, []]);
    expect(mail.objects.keys()).toHaveLength(11);
  });

  test('of one Thread is one Thread for any order of arrival', async () => {
    const chain = range(6).map((number) => arrive(`m${number}`, undefined, message(`m${number}`, [`In-Reply-To: <m${number + 1}@example.net>`], 'Re: Plan')));
    expect(await mail.deliverAtOnce(await Promise.all(chain))).toEqual([]);
    const emails = emailsOf(await mail.view('acc_alice'));
    expect([emails.size, emails.threadIds().length]).toEqual([6, 1]);
  });

  test('that exceeds a transaction is several commits', async () => {
    const references = range(24).map((number) => `<r${number}-`);
    const bodies = await Promise.all(
      range(8).map((number) =>
        arrive(
          `m${number}`,
          undefined,
          message(`m${number}`, [`References: ${references.map((reference) => `${reference}${number}@example.net>`).join(' ')}`]),
        ),
      ),
    );
    const before = await sequence('acc_alice');
    expect(await mail.deliverAtOnce(bodies)).toEqual([]);
    expect(await count('acc_alice')).toBe(8);
    expect(await sequence('acc_alice')).toBeGreaterThan(before + 1);
    expect(await sequence('acc_alice')).toBeLessThan(before + 4);
  });

  test('with the same notification twice, and again in the next batch, is delivered once', async () => {
    const [one, two] = (await arrivals(2)) as [string, string];
    expect(await mail.deliverAtOnce([one, two, one])).toEqual([]);
    expect(await mail.deliverAtOnce([two, one])).toEqual([]);
    expect([await count('acc_alice'), inbound()]).toEqual([2, []]);
  });

  test('is delivered once when several Lambdas have overlapping batches concurrently', async () => {
    const bodies = await arrivals(30);
    const lambdas = range(5).map((lambda) =>
      mail.deliverAtOnce(bodies.slice(lambda * 5, lambda * 5 + 10), { mailStore: mailStore({ table: mail.mailTable }) }),
    );
    expect((await Promise.all(lambdas)).flat()).toEqual([]);
    expect(await count('acc_alice')).toBe(30);
  });

  test.each<Fault>(['crash before', 'crash after', 'lost after', 'lost before', 'contended'])(
    'whose write %s is retried and gives each message once',
    async (fault) => {
      const bodies = await arrivals(4);
      let writes = 0;
      const table = faultyTable(
        mail.mailTable,
        async () => undefined,
        () => (writes++ < 1 ? fault : 'none'),
      );
      await mail.deliverAtOnce(bodies, { mailStore: mailStore({ table }) });
      expect(await mail.deliverAtOnce(bodies)).toEqual([]);
      expect([await count('acc_alice'), inbound()]).toEqual([4, []]);
    },
  );

  test('is delivered as far as the account has room; the others wait in the queue', async () => {
    const size = message('ses-0').length;
    mail = await deliverDeployment({ octets: 3 * size, count: 100 });
    // Soon after they arrived: what waits too long is taken out of the queue.
    expect(await mail.deliverAtOnce(await arrivals(5), { clock: () => new Date('2026-11-21T08:40:00Z') })).toEqual([]);
    expect([await count('acc_alice'), inbound().length, mail.queue.messages.length]).toEqual([3, 2, 2]);
  });

  test.each([
    ['small', 10, 0],
    ['large', 10, 2],
    ['large', 1, 1],
  ])('of %s messages, %i of them, reads %i whole ones at once', async (size, messages, atOnce) => {
    let [reading, most] = [0, 0];
    const get: typeof mail.objects.get = async (key, part) => {
      if (part) return mail.objects.get(key, part);
      most = Math.max(most, ++reading);
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
      return mail.objects.get(key).finally(() => {
        reading -= 1;
      });
    };
    const body = 'x'.repeat(size === 'large' ? 1_000_000 : 10);
    const bodies = await Promise.all(range(messages).map((number) => arrive(`ses-${number}`, undefined, message(`ses-${number}`) + body)));
    expect(await mail.deliverAtOnce(bodies, { objects: { ...mail.objects, get } })).toEqual([]);
    expect([most, await count('acc_alice')]).toEqual([atOnce, messages]);
  });

  test('is resolved in one read of addresses, and its objects are removed by one call', async () => {
    const [calls, removals]: [string[][], number[]] = [[], []];
    const addresses = {
      resolveAll: (emails: readonly string[]) => {
        calls.push([...emails]);
        return mail.addresses.resolveAll(emails);
      },
    };
    const objects = {
      ...mail.objects,
      remove: (keys: readonly string[]) => {
        removals.push(keys.length);
        return mail.objects.remove(keys);
      },
    };
    expect(await mail.deliverAtOnce(await arrivals(5), { addresses, objects })).toEqual([]);
    expect([calls.map(({ length }) => length), removals, inbound()]).toEqual([[5], [5], []]);
  });
});

describe('a message of a batch that fails', () => {
  const failingFor = (id: string, error: Error): Pick<MailStore, 'deliverAll'> => ({
    deliverAll: (accountId, emails) =>
      emails.some(({ content: record }) => record.subject === id) ? Promise.reject(error) : mail.mailStore.deliverAll(accountId, emails),
  });

  test('in the transaction of one record returns that record to the queue, and the others of its account are delivered', async () => {
    expect(await mail.deliverAtOnce(await arrivals(5), { mailStore: failingFor('ses-2', new Error('an item is too large')) })).toEqual([2]);
    expect([await count('acc_alice'), inbound()]).toEqual([4, ['inbound/deliver-1/ses-2']]);
  });

  test('before the transaction returns only that record to the queue', async () => {
    const objects = {
      ...mail.objects,
      copy: (from: string, to: string) => (from.includes('ses-1') ? Promise.reject(new Error('S3 is away')) : mail.objects.copy(from, to)),
    };
    expect(await mail.deliverAtOnce(await arrivals(3), { objects })).toEqual([1]);
    expect(await count('acc_alice')).toBe(2);
  });

  test('because its account is busy returns with the others of that account', async () => {
    const bodies = [...(await arrivals(2)), await arrive('bob', ['bob@example.test'])];
    expect(await mail.deliverAtOnce(bodies, { mailStore: failingFor('ses-1', new StoreConflict()) })).toEqual([0, 1]);
    expect([await count('acc_alice'), await count('acc_bob')]).toEqual([0, 1]);
    expect(await mail.deliverAtOnce(bodies)).toEqual([]);
    expect([await count('acc_alice'), await count('acc_bob')]).toEqual([2, 1]);
  });
});
