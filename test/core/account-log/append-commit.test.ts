import { appendReferenceRemovals } from '../../../core/account-log/append-commit.ts';
import { decodeHead, type Head } from '../../../core/account-log/head.ts';
import { headKey } from '../../../core/account-log/keys.ts';
import { ConditionRefused } from '../../../core/account-log/records/record-refused.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { identityType } from '../../../core/mail/identity-type.ts';
import type { MailStore } from '../../../core/mail/mail-store/mail-store.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { WriteRefused, type Table, type Write } from '../../../core/storage/table.ts';
import { LostConnection } from '../../fakes/faulty-table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { newEmail } from '../../support/email-fixtures.ts';
import { perTest } from '../../support/per-test.ts';

const account = 'acc_1';
const pause = async (): Promise<void> => {};
const reference = { pk: `${account}#ref`, sk: 'a reference' };
const mailbox = (id: string) => ({ id, name: id, parentId: null, role: null, sortOrder: 10, isSubscribed: true });
const identity = {
  id: 'id1',
  name: 'A',
  email: 'a@example.test',
  replyTo: null,
  bcc: null,
  textSignature: '',
  htmlSignature: '',
  maySend: true,
  aliasId: null,
  version: 1,
};

/** A writer of an account: it makes one change, and counts how often the change was made. */
type Writer = {
  readonly write: (store: MailStore, table: Table) => Promise<unknown>;
  readonly made: (store: MailStore, table: Table) => Promise<number>;
  readonly createsAccount?: boolean;
  /** Number of commits that the change adds to the log. Default: 1. */
  readonly commits?: number;
};

const writers: Record<string, Writer> = {
  'a new account': {
    createsAccount: true,
    write: (store) => store.createAccount(account),
    made: async (store) => Number((await store.open(account)) !== undefined),
  },
  'a commit with the account in memory': {
    write: async (store) => store.commit((await store.open(account))!, () => ({ records: { Mailbox: { put: [mailbox('new')] } } })),
    made: async (store) =>
      mailboxesOf((await store.open(account))!)
        .all()
        .filter(({ name }) => name === 'new').length,
  },
  'a commit of named records': {
    write: (store) =>
      store.commitRecords([{ accountId: account, type: identityType, id: 'id1' }], () => ({ accounts: { [account]: { Identity: { put: [identity] } } } })),
    made: async (store) =>
      (await store.open(account))!
        .index(identityType)
        .all()
        .filter(({ id }) => id === 'id1').length,
  },
  'a delivery': {
    write: async (store) => expect(['delivered', 'duplicate']).toContain(await store.deliver(account, newEmail(1))),
    made: async (store) => emailsOf((await store.open(account))!).size,
  },
  'limits of an account': {
    write: (store) => store.setQuota(account, { count: 7 }),
    made: async (store) => Number((await store.quota(account))?.count.hardLimit === 7),
  },
  'a removal of references': {
    commits: 0,
    write: (_store, table) =>
      appendReferenceRemovals({ table, clock: () => new Date(), pause }, account, async () =>
        (await table.get(reference)) ? [[{ delete: reference, if: { present: true } }]] : [],
      ),
    made: async (_store, table) => Number((await table.get(reference)) === undefined),
  },
};

/** A fault of the first write. It decides whether, and when, the write is made. */
type FirstWrite = (make: () => Promise<void>, writes: readonly Write[]) => Promise<void>;

const isOwn = (write: Write): boolean => ['put', 'delete'].some((kind) => kind in write) && !('put' in write && write.put.sk === 'HEAD');

const faults: Record<string, FirstWrite> = {
  'another transaction holds an item': () => Promise.reject(new WriteRefused([], true)),
  'the response is lost before the write': () => Promise.reject(new LostConnection()),
  'the response is lost after the write': async (make) => {
    await make();
    throw new LostConnection();
  },
  'the response is lost, and the write is made later': (make) => {
    setImmediate(() => void make().catch(() => {}));
    return Promise.reject(new LostConnection());
  },
};

const table = perTest(() => memoryTable());
const other = perTest(() => mailStore({ table, pause }));

const head = async (): Promise<Head | undefined> => {
  const item = await table.get(headKey(account));
  return item && decodeHead(item);
};

/** A store whose first write has a fault. */
const withFault = async (writer: Writer, first: FirstWrite) => {
  if (!writer.createsAccount) await other.createAccount(account);
  await table.write([{ put: { ...reference, threadId: 'T1' } }]);
  let isFirst = true;
  const faulty: Table = {
    ...table,
    write: async (writes) => {
      if (!isFirst) return table.write(writes);
      isFirst = false;
      return first(() => table.write(writes), writes);
    },
  };
  return {
    store: mailStore({
      table: faulty,
      pause: () =>
        new Promise((resolve) => {
          setImmediate(resolve);
        }),
    }),
    faulty,
    before: (await head())?.sequence ?? 0,
  };
};

describe.each(Object.entries(writers))('%s', (_name, writer) => {
  test.each(Object.entries(faults))('is written once when %s', async (_fault, first) => {
    const { store, faulty, before } = await withFault(writer, first);
    await writer.write(store, faulty);
    expect(await writer.made(other, table)).toBe(1);
    expect((await head())?.sequence).toBe(before + (writer.commits ?? 1));
  });

  test('is written once when another commit is first', async () => {
    const { store, faulty, before } = await withFault(writer, async (make) => {
      await (writer.createsAccount
        ? other.createAccount(account)
        : other.commit((await other.open(account))!, () => ({ records: { Mailbox: { put: [mailbox('first')] } } })));
      await make();
    });
    await writer.write(store, faulty);
    expect(await writer.made(other, table)).toBe(1);
    expect((await head())?.sequence).toBe(before + (writer.createsAccount ? 1 : 1 + (writer.commits ?? 1)));
  });

  test('changes nothing or is written once when one of its own conditions does not hold', async () => {
    const { store, faulty, before } = await withFault(writer, (_make, writes) => Promise.reject(new WriteRefused([writes.findLastIndex(isOwn)], false)));
    const failure = await writer.write(store, faulty).catch((error: unknown) => error);
    const isRefused = failure instanceof ConditionRefused;
    expect(await writer.made(other, table)).toBe(isRefused ? 0 : 1);
    expect((await head())?.sequence ?? 0).toBe(before + (isRefused ? 0 : (writer.commits ?? 1)));
  });

  test('fails with the error of the transport when three responses are lost', async () => {
    await withFault(writer, (make) => make());
    const lost: Table = { ...table, write: () => Promise.reject(new LostConnection()) };
    const failure = await writer.write(mailStore({ table: lost, pause }), lost).catch((error: unknown) => error);
    expect([failure, (failure as Error).cause].some((error) => error instanceof LostConnection)).toBe(true);
    expect(await writer.made(other, table)).toBe(0);
  });
});

test('a plan whose condition was refused is not written again on the same head', async () => {
  await other.createAccount(account);
  let writes = 0;
  const refusing: Table = {
    ...table,
    write: async (each) => {
      writes++;
      throw new WriteRefused([each.findLastIndex(isOwn)], false);
    },
  };
  const store = mailStore({ table: refusing, pause });
  await expect(store.deliver(account, newEmail(1))).rejects.toThrow(ConditionRefused);
  expect(writes).toBe(1);
});
