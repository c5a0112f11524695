import { listUnparsedMessages } from '../../../core/mail/delivery/unparsed-messages.ts';
import type { TextCondition } from '../../../core/mail/email/index/email-filter.ts';
import { purgeInterval } from '../../../core/search/indexing/index-emails.ts';
import { readManifest } from '../../../core/search/segment-format/search-manifest.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import { searchedMail, type SearchedMail } from '../../support/searched-mail.ts';
import { slowParser, slowText } from '../../support/slow-parser.ts';

const bounds = { logBytes: 1200, remaining: 3 };
const body = (term: string): TextCondition => ({ fields: [5], phrases: [{ terms: [term], isPrefix: false }] });
const limited = (emails: number) => {
  let left = emails;
  return { spendOctets: () => true, spendEmails: (count: number) => (left -= count) >= 0 };
};
const deliverMany = async (mail: SearchedMail, count: number, from = 0): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = from; i < from + count; i++) ids.push(await mail.deliver(i, { subject: `number ${i}`, body: `walrus w${i}` }));
  return ids;
};
const documents = (names: readonly string[]): number => names.reduce((sum, name) => sum + Number(name.split('-')[0]), 0);

describe('the search step', () => {
  test('writes a segment when enough Emails are not indexed, and reads nothing before that', async () => {
    const mail = await searchedMail({ bounds });
    let reads = 0;
    for (const method of ['get', 'query', 'batchGet'] as const) {
      const original = mail.table[method] as (argument: never) => Promise<never>;
      Object.assign(mail.table, {
        [method]: (argument: never) => {
          reads++;
          return original(argument);
        },
      });
    }
    await mail.deliver(1, { body: 'walrus' });
    reads = 0;
    await mail.index();
    expect([reads, mail.searchKeys()]).toEqual([0, []]);
    await deliverMany(mail, 5, 2);
    await mail.index();
    expect(documents(await mail.segments())).toBe(6);
    expect(await mail.find(body('walrus'), mail.newSearch(), limited(0))).toHaveLength(6);
  });

  test('indexes an account without segments in steps of limited time, each of which starts the next', async () => {
    const mail = await searchedMail({ bounds, workFor: 0.01 });
    await deliverMany(mail, 230);
    await mail.index();
    const outcomes = mail.log.records.filter(({ message }) => message === 'search index written').map(({ details }) => details as { indexed: number });
    expect(outcomes.length).toBeGreaterThan(1);
    expect(outcomes.every(({ indexed }) => indexed <= 100)).toBe(true);
    expect(documents(await mail.segments())).toBe(230);
    expect(await mail.find(body('w77'), mail.newSearch(), limited(0))).toHaveLength(1);
  });

  test('merges segments, so that an account has few, and removes merged ones when no request reads them any more', async () => {
    const mail = await searchedMail({ bounds });
    for (let round = 0; round < 20; round++) {
      await deliverMany(mail, 5, round * 5);
      await mail.index();
    }
    const segments = await mail.segments();
    expect(segments.length).toBeLessThan(9);
    expect(documents(segments)).toBe(100);
    expect(mail.searchKeys().length).toBeGreaterThan(segments.length + 1);
    expect(mail.removals.messages.every(({ delaySeconds }) => delaySeconds === 900)).toBe(true);
    await mail.removeRetired();
    expect(mail.searchKeys()).toHaveLength(segments.length + 1);
    expect(await mail.find(body('walrus'), mail.newSearch(), limited(0))).toHaveLength(100);
  });

  test('removes the words of a destroyed Email from the segments within 7 hours, without another commit', async () => {
    const mail = await searchedMail({ bounds });
    const [first] = await deliverMany(mail, 8);
    await mail.index();
    await mail.destroy(first!);
    await mail.index();
    expect(documents(await mail.segments())).toBe(8);
    let minutes = 0;
    while (documents(await mail.segments()) === 8) {
      mail.wait(15 * 60_000);
      minutes += 15;
      await mail.removeRetired();
      await mail.index();
      if (minutes > purgeInterval / 60_000 + 60) throw new Error('the words were not removed');
    }
    mail.wait(15 * 60_000);
    await mail.removeRetired();
    const stored = await Promise.all(mail.searchKeys().map(async (key) => (await mail.objects.get(key))!.bytes));
    expect(stored.some((bytes) => bytes.includes(first!))).toBe(false);
    expect(mail.searchKeys()).toHaveLength(2);
    expect(mail.removals.messages).toEqual([]);
  });

  test.each([
    ['a damaged segment', async (mail: SearchedMail) => mail.objects.put(objectKeys.search(mail.account, (await mail.segments())[0]!), Buffer.alloc(99))],
    ['a missing segment', async (mail: SearchedMail) => mail.objects.remove([objectKeys.search(mail.account, (await mail.segments())[0]!)])],
    ['a damaged manifest', async (mail: SearchedMail) => mail.objects.put(objectKeys.search(mail.account, (await mail.head()).search!), Buffer.from('{}'))],
  ])('replaces %s that a search reports, and the search reads the messages meanwhile', async (_, damage) => {
    const mail = await searchedMail({ bounds });
    await deliverMany(mail, 6);
    await mail.index();
    await damage(mail);
    expect(await mail.find(body('walrus'), mail.newSearch())).toHaveLength(6);
    await mail.index();
    expect(documents(await mail.segments())).toBe(6);
    expect(await mail.find(body('walrus'), mail.newSearch(), limited(0))).toHaveLength(6);
    expect((await mail.head()).searchDue).toBeUndefined();
  });

  test('keeps one index when two indexers write concurrently', async () => {
    const mail = await searchedMail({ bounds });
    await deliverMany(mail, 6);
    const outcomes = await Promise.all([mail.indexEmails()(mail.account), mail.indexEmails()(mail.account)]);
    expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(1);
    const { segments } = await readManifest(mail.objects, mail.account, (await mail.head()).search!);
    expect(documents(segments)).toBe(6);
    mail.wait(900_000);
    await mail.removeRetired();
    expect(mail.searchKeys()).toHaveLength(2);
  });

  test('logs and counts a failure, and does not make the stream repeat it', async () => {
    const mail = await searchedMail({ bounds });
    await deliverMany(mail, 6);
    await mail.index({ reach: { objects: { ...mail.objects, put: () => Promise.reject(new Error('AccessDenied')) } } });
    expect(mail.log.records.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'search index not written', details: { account_id: mail.account, FailedSearchIndexes: 1 } },
    ]);
    expect(await mail.find(body('walrus'), mail.newSearch())).toHaveLength(6);
  });

  test('indexes an Email by its record when its raw message no longer exists', async () => {
    const mail = await searchedMail({ bounds });
    const ids = await deliverMany(mail, 6);
    await mail.objects.remove(
      mail.objects
        .keys()
        .filter((key) => key.startsWith('messages/'))
        .slice(0, 1),
    );
    await mail.index();
    expect(documents(await mail.segments())).toBe(ids.length);
    expect(await mail.find(body('walrus'), mail.newSearch(), limited(0))).toHaveLength(5);
  });
});

describe('an Email whose words take for ever to be found', () => {
  slowParser();

  test('is indexed by its header, is named for the watch, and holds up no other Email', async () => {
    const mail = await searchedMail({ bounds });
    const slow = await mail.deliver(0, { subject: 'Penguins', body: `a walrus ${slowText}` });
    const ids = [slow, ...(await deliverMany(mail, 6, 1))];
    const others = ids.slice(1).toSorted();
    expect(await mail.find(body('walrus'), mail.newSearch())).toEqual(others);
    await mail.index();
    expect(documents(await mail.segments())).toBe(ids.length);
    expect(await mail.find(body('walrus'), mail.newSearch(), limited(0))).toEqual(others);
    expect(await mail.find({ fields: [4], phrases: [{ terms: ['penguins'], isPrefix: false }] }, mail.newSearch(), limited(0))).toEqual([slow]);
    expect(await listUnparsedMessages(mail.table, mail.clock)).toEqual([expect.stringMatching(new RegExp(`^${mail.account}/`))]);
  });
});
