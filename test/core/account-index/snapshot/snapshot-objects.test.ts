import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { partitionOf } from '../../../../contract/deployment/keys.ts';
import { capability } from '../../../../contract/jmap/core.ts';
import { recordType } from '../../../../contract/jmap/record.ts';
import type { AccountView, Commit } from '../../../../core/account-index/account-view.ts';
import { snapshotVersion } from '../../../../core/account-index/snapshot/snapshot-file.ts';
import { decodeHead } from '../../../../core/account-log/head.ts';
import { headKey } from '../../../../core/account-log/keys.ts';
import type { StoredRecord } from '../../../../core/account-log/log-entry.ts';
import { indexOfRecords, plainStoredType, RecordMap, storedTypeTable, type StoredType } from '../../../../core/account-log/records/stored-type.ts';
import type { EmailRow } from '../../../../core/mail/email/email-content.ts';
import { emailsOf } from '../../../../core/mail/email/email-type.ts';
import type { MailStore } from '../../../../core/mail/mail-store/mail-store.ts';
import { storedTypes } from '../../../../core/mail/mail-store/stored-types.ts';
import { mailboxesOf, mailboxWithRole } from '../../../../core/mail/mailbox/mailbox-record.ts';
import { takeSnapshot } from '../../../../core/search/indexing/take-snapshot.ts';
import type { Objects } from '../../../../core/storage/objects.ts';
import type { Query, Table } from '../../../../core/storage/table.ts';
import { assertProperty } from '../../../support/assert-property.ts';
import { emailId, inMailboxes, mailCommit, newEmail, withKeywords } from '../../../support/email-fixtures.ts';
import { indexedMail, type IndexedMail } from '../../../support/indexed-mail.ts';
import { recordsOf } from '../../../support/replay-mail-changes.ts';

const account = 'acc_1';
const bounds = { commits: 10, logBytes: 1_000_000 };

/** An account with this many Emails, after a run of the indexer. */
const mailWith = async (emails: number): Promise<IndexedMail> => {
  const mail = indexedMail({ bounds });
  await mail.fromRecords().createAccount(account);
  await deliver(mail, 1, emails);
  return mail;
};

const deliver = async (mail: IndexedMail, from: number, count: number): Promise<void> => {
  for (let id = from; id < from + count; id++) await mail.fromRecords().deliver(account, newEmail(id));
};

/** The Emails that a cold Lambda finds, and whether the Lambda read their rows. */
const coldEmails = async (mail: IndexedMail, objects?: Pick<Objects, 'get'>) => {
  const queried: string[] = [];
  const table: Table = {
    ...mail.table,
    query: (query: Query) => {
      queried.push(query.pk);
      return mail.table.query(query);
    },
  };
  const view = (await mail.cold({ table, ...(objects && { objects }) }).open(account))!;
  return { count: emailsOf(view).size, readsRows: queried.includes(partitionOf(account, 'row')), queries: queried.length };
};

const warnings = ({ log }: IndexedMail) => log.records.filter(({ level }) => level === 'warn').map(({ details }) => details);

describe('a snapshot', () => {
  test('is written once the bound of commits is reached, and named by the head', async () => {
    const mail = await mailWith(8);
    await mail.index();
    expect(mail.snapshotKeys()).toEqual([]);
    await deliver(mail, 9, 1);
    await mail.index();
    expect(mail.snapshotKeys()).toEqual([`snapshots/${account}/${(await mail.head(account)).snapshot}`]);
    await deliver(mail, 10, 9);
    await mail.index();
    expect(mail.snapshotKeys()).toHaveLength(1);
  });

  test('is written once the bound of log octets is reached, even after few commits', async () => {
    const mail = indexedMail({ bounds: { commits: 1000, logBytes: 5000 } });
    await mail.fromRecords().createAccount(account);
    await deliver(mail, 1, 5);
    await mail.index();
    expect((await mail.head(account)).snapshot).toBeUndefined();
    await deliver(mail, 6, 10);
    await mail.index();
    expect((await mail.head(account)).snapshot).toBeDefined();
  });

  test('is loaded by a cold Lambda with the log after it, instead of the rows', async () => {
    const mail = await mailWith(20);
    await mail.index();
    await deliver(mail, 21, 5);
    expect(await coldEmails(mail)).toEqual({ count: 25, readsRows: false, queries: 1 });
    expect(warnings(mail)).toEqual([]);
  });

  test('stays named when a commit replaces a head that was read before the snapshot', async () => {
    const mail = await mailWith(20);
    const store = mail.fromRecords();
    const view = (await store.open(account))!;
    await mail.index();
    const { snapshot } = await mail.head(account);
    await store.commit(view, (newest) => mailCommit({ updateEmails: [withKeywords(emailsOf(newest).get(emailId(1))!, '$seen')] }));
    await deliver(mail, 21, 1);
    expect(await mail.head(account)).toMatchObject({ snapshot, sequence: 23 });
  });

  test('is removed when its account was removed while it was written', async () => {
    const mail = await mailWith(20);
    const writer = mail.writer();
    const objects = {
      ...mail.objects,
      put: async (key: string, bytes: Buffer) => {
        await mail.objects.put(key, bytes);
        await mail.table.write([{ delete: headKey(account) }]);
      },
    };
    expect(await takeSnapshot({ ...writer, objects }, account)).toBeUndefined();
    expect(mail.snapshotKeys()).toEqual([]);
    expect(await mail.table.get(headKey(account))).toBeUndefined();
  });

  test('is removed an hour after the second newer snapshot was named, not earlier', async () => {
    const mail = await mailWith(0);
    const written: string[] = [];
    for (let round = 0; round < 4; round++) {
      await deliver(mail, 1 + round * 10, 10);
      await mail.index();
      written.push(`snapshots/${account}/${(await mail.head(account)).snapshot}`);
    }
    expect(mail.snapshotKeys()).toEqual(written);
    mail.clock.wait(1 / 23);
    await deliver(mail, 100, 10);
    await mail.index();
    const newest = `snapshots/${account}/${(await mail.head(account)).snapshot}`;
    expect(mail.snapshotKeys()).toEqual([written[3], newest]);
  });
});

describe('two indexers that race', () => {
  /** Two indexers that have both read the account: one before, and one after ten more commits. */
  const race = async (finish: (older: () => Promise<unknown>, newer: () => Promise<unknown>) => Promise<void>) => {
    const mail = await mailWith(20);
    const gates: (() => void)[] = [];
    /** An indexer that stops before it names its snapshot. */
    const stopped = async () => {
      const writer = mail.writer();
      let written!: () => void;
      const isWritten = new Promise<void>((resolve) => {
        written = resolve;
      });
      const objects: Objects = {
        ...mail.objects,
        put: async (key, bytes) => {
          await mail.objects.put(key, bytes);
          await new Promise<void>((resolve) => {
            gates.push(resolve);
            written();
          });
        },
      };
      const done = takeSnapshot({ ...writer, objects }, account);
      await isWritten;
      return done;
    };
    const run = async () => {
      const before = gates.length;
      let done: Promise<unknown> | undefined;
      const started = (async () => {
        done = stopped();
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      })();
      await started;
      while (gates.length === before)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      const gate = gates[before]!;
      return async () => {
        gate();
        await done;
      };
    };
    const older = await run();
    await deliver(mail, 21, 10);
    const newer = await run();
    await finish(older, newer);
    return mail;
  };

  test.each([
    [
      'the older one last',
      async (older: () => Promise<unknown>, newer: () => Promise<unknown>) => {
        await newer();
        await older();
      },
    ],
    [
      'the newer one last',
      async (older: () => Promise<unknown>, newer: () => Promise<unknown>) => {
        await older();
        await newer();
      },
    ],
  ])('leave the newest snapshot: %s', async (_which, finish) => {
    const mail = await race(finish);
    expect((await mail.head(account)).snapshot).toMatch(/^000000000031-/);
    expect(mail.snapshotKeys()).toContain(`snapshots/${account}/${(await mail.head(account)).snapshot}`);
    expect(await coldEmails(mail)).toMatchObject({ count: 30, readsRows: false });
  });
});

describe('an indexer that was interrupted before it named its snapshot', () => {
  test('does not name its snapshot once the log after it was trimmed', async () => {
    const mail = await mailWith(20);
    const objects = {
      ...mail.objects,
      put: async (key: string, bytes: Buffer) => {
        await mail.objects.put(key, bytes);
        await deliver(mail, 21, 10);
        await mail.table.write([{ update: headKey(account), set: { lowWater: 25 } }]);
      },
    };
    expect(await takeSnapshot({ ...mail.writer(), objects }, account)).toBeUndefined();
    expect(mail.snapshotKeys()).toEqual([]);
    expect(await coldEmails(mail)).toMatchObject({ count: 30, readsRows: true });
  });
});

describe('a cold Lambda of another release than the indexer', () => {
  const note = recordType({
    name: 'Note',
    capability: capability.mail,
    methods: ['get'],
    properties: { id: { type: 'Id' }, text: { type: 'String', default: '' } },
  });
  const typesWith = (storage: StoredType) => storedTypeTable([...storedTypes.values(), storage]);

  test('reads the records of a type that the indexer does not know', async () => {
    const mail = await mailWith(20);
    const types = typesWith(plainStoredType(note));
    const store = mail.cold({ types });
    await store.commit((await store.open(account))!, () => ({ records: { Note: { put: [{ id: 'N1' }] } } }));
    await mail.index();
    const view = (await mail.cold({ types }).open(account))!;
    expect(view.index({ name: 'Note' }).ids()).toEqual(['N1']);
    expect(emailsOf(view).size).toBe(20);
    expect(warnings(mail)).toEqual([]);
  });

  test('loads the account from its records when a commit after the snapshot cannot be applied', async () => {
    const mail = await mailWith(20);
    await mail.index();
    await deliver(mail, 21, 3);
    class FaultyIndex extends RecordMap<StoredRecord> {
      override apply(): void {
        throw new Error('the index cannot apply this');
      }
    }
    const plain = plainStoredType(note);
    const types = typesWith({ ...plain, records: { ...plain.records, indexBuilder: () => indexOfRecords((records) => new FaultyIndex(records)) } });
    expect(emailsOf((await mail.cold({ types }).open(account))!).size).toBe(23);
    expect(warnings(mail)).toEqual([expect.objectContaining({ problem: 'damaged' })]);
  });
});

describe('a snapshot that cannot be used', () => {
  const key = async (mail: IndexedMail) => `snapshots/${account}/${(await mail.head(account)).snapshot}`;
  const change = (edit: (bytes: Buffer) => Buffer) => async (mail: IndexedMail) => {
    const at = await key(mail);
    await mail.objects.put(at, edit(Buffer.from((await mail.objects.get(at))!.bytes)));
  };
  const flip = (at: (bytes: Buffer) => number) =>
    change((bytes) => {
      bytes[at(bytes)]! ^= 1;
      return bytes;
    });

  describe.each([
    ['is missing', 'missing', async (mail: IndexedMail) => mail.objects.remove([await key(mail)])],
    ['is truncated', 'damaged', change((bytes) => bytes.subarray(0, -1))],
    ['is empty', 'damaged', change(() => Buffer.alloc(0))],
    ['has a flipped bit in its magic number', 'damaged', flip(() => 0)],
    ['has a flipped bit in its version', 'damaged', flip(() => 6)],
    ['has a flipped bit in its header', 'damaged', flip(() => 40)],
    ['has a flipped bit in its last array', 'damaged', flip((bytes) => bytes.length - 1)],
    ['has a flipped bit in its ids', 'damaged', flip((bytes) => 24 + bytes.readUInt32LE(8))],
  ])('because it %s', (_what, problem, damage) => {
    test('is replaced by the rows, with a metric in the log, and the next run of the indexer writes a new one', async () => {
      const mail = await mailWith(20);
      await mail.index();
      await damage(mail);
      expect(await coldEmails(mail)).toMatchObject({ count: 20, readsRows: true });
      expect(warnings(mail)).toEqual([expect.objectContaining({ problem, account_id: account, UnusableSnapshots: 1, _aws: expect.anything() })]);
      expect((await mail.head(account)).snapshot).toBeUndefined();
      await mail.index();
      expect((await mail.head(account)).snapshot).toBeDefined();
      expect(await coldEmails(mail)).toMatchObject({ count: 20, readsRows: false });
    });
  });

  test('every flipped bit is noticed', async () => {
    const mail = await mailWith(20);
    await mail.index();
    const at = await key(mail);
    const whole = Buffer.from((await mail.objects.get(at))!.bytes);
    const { snapshot } = await mail.head(account);
    // The log before and after the rows, and the records of each type that ever changed.
    const { states } = decodeHead((await mail.table.get(headKey(account)))!);
    const queries = 2 + [...storedTypes.values()].filter(({ name, records }) => records && states[name] !== undefined).length;
    for (let byte = 0; byte < whole.length; byte += 7) {
      const damaged = Buffer.from(whole);
      damaged[byte]! ^= 1 << (byte % 8);
      await mail.objects.put(at, damaged);
      await mail.table.write([{ update: headKey(account), set: { snapshot: snapshot! } }]);
      expect([byte, await coldEmails(mail)]).toEqual([byte, { count: 20, readsRows: true, queries }]);
    }
  });

  test.each([
    ['an older release is forgotten', snapshotVersion - 1, 'outdated', false],
    ['a newer release stays named, for Lambdas of that release', snapshotVersion + 1, 'newer', true],
  ])('because it is of %s', async (_what, version, problem, isKept) => {
    const mail = await mailWith(20);
    await mail.index();
    const at = await key(mail);
    const bytes = Buffer.from((await mail.objects.get(at))!.bytes);
    bytes.writeUInt16LE(version, 6);
    bytes.writeUInt32LE(crc32(bytes.subarray(24, 24 + bytes.readUInt32LE(8)), crc32(bytes.subarray(0, 20))), 20);
    await mail.objects.put(at, bytes);
    expect(await coldEmails(mail)).toMatchObject({ count: 20, readsRows: true });
    expect(warnings(mail)).toEqual([expect.objectContaining({ problem })]);
    expect((await mail.head(account)).snapshot !== undefined).toBe(isKept);
  });

  test('because the log after it was trimmed is replaced by the rows, and no longer named', async () => {
    const mail = await mailWith(20);
    await mail.index();
    await deliver(mail, 21, 3);
    await mail.table.write([{ update: headKey(account), set: { lowWater: 22 } }]);
    expect(await coldEmails(mail)).toMatchObject({ count: 23, readsRows: true });
    expect(warnings(mail)).toEqual([expect.objectContaining({ problem: 'outdated' })]);
    expect((await mail.head(account)).snapshot).toBeUndefined();
  });

  test('because S3 fails stays named, because it may be intact', async () => {
    const mail = await mailWith(20);
    await mail.index();
    const { snapshot } = await mail.head(account);
    expect(await coldEmails(mail, { get: () => Promise.reject(new Error('SlowDown')) })).toMatchObject({ count: 20, readsRows: true });
    expect(warnings(mail)).toEqual([expect.objectContaining({ problem: 'unreadable' })]);
    expect(await mail.head(account)).toMatchObject({ snapshot });
  });

  test('because a newer release wrote it stays named', async () => {
    const mail = await mailWith(20);
    await mail.index();
    await mail.table.write([{ update: headKey(account), set: { snapshot: 'v2:another-form-of-name' } }]);
    expect(await coldEmails(mail)).toMatchObject({ count: 20, readsRows: true });
    expect(warnings(mail)).toEqual([expect.objectContaining({ problem: 'newer' })]);
    expect(await mail.head(account)).toMatchObject({ snapshot: 'v2:another-form-of-name' });
  });

  test('because a newer one has just replaced it is not read: the newer one is', async () => {
    const mail = await mailWith(20);
    await mail.index();
    const old = await key(mail);
    let isFirst = true;
    const objects: Pick<Objects, 'get'> = {
      get: async (at, range) => {
        if (isFirst) {
          isFirst = false;
          await deliver(mail, 21, 10);
          await mail.index();
          await mail.objects.remove([old]);
        }
        return mail.objects.get(at, range);
      },
    };
    expect(await coldEmails(mail, objects)).toMatchObject({ count: 30, readsRows: false });
    expect((await mail.head(account)).snapshot).toMatch(/^000000000031-/);
  });
});

/** An event in the life of an account. `pick` chooses among the records that exist at that time. */
type Event =
  | { readonly do: 'deliver'; readonly thread: number; readonly short: boolean }
  | { readonly do: 'mark' | 'move' | 'destroy'; readonly pick: number; readonly count: number }
  | { readonly do: 'make mailbox' | 'destroy mailbox' | 'change trash'; readonly pick: number }
  | { readonly do: 'index'; readonly isCold: boolean }
  | { readonly do: 'wait'; readonly days: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('deliver' as const), thread: fc.nat(12), short: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('mark' as const, 'move' as const, 'destroy' as const),
      pick: fc.nat(1000),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('make mailbox' as const, 'destroy mailbox' as const, 'change trash' as const), pick: fc.nat(1000) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('index' as const), isCold: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.nat(40) }) },
);

const pickSome = <T>(all: readonly T[], pick: number, count: number): T[] =>
  Array.from({ length: Math.min(count, all.length) }, (_, i) => all[(pick + i) % all.length]!);

type Change = Exclude<Event, { do: 'deliver' | 'index' | 'wait' }>;

const emailCommit = (action: 'mark' | 'move' | 'destroy', rows: readonly EmailRow[], mailboxId: string, keyword: string): Commit => {
  if (action === 'destroy') return mailCommit({ destroyEmails: rows.map(({ id }) => id) });
  return mailCommit({ updateEmails: rows.map((row) => (action === 'mark' ? withKeywords(row, '$seen', keyword) : inMailboxes(row, mailboxId))) });
};

const commitOf = (change: Change, view: AccountView, number: number): Commit | undefined => {
  const mailboxes = mailboxesOf(view)
    .all()
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = emailsOf(view)
    .all()
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const plain = mailboxes.filter(({ role }) => role === null);
  if (change.do === 'mark' || change.do === 'move' || change.do === 'destroy') {
    return emailCommit(change.do, pickSome(rows, change.pick, change.count), mailboxes[change.pick % mailboxes.length]!.id, `k${change.pick % 5}`);
  }
  if (change.do === 'make mailbox') {
    return mailCommit({ putMailboxes: [{ id: `Fnew${number}`, name: `New ${number}`, parentId: null, role: null, sortOrder: 9, isSubscribed: true }] });
  }
  if (change.do === 'destroy mailbox') {
    const empty = plain.filter(({ id }) => emailsOf(view).counters(id).totalEmails === 0);
    return empty.length > 0 ? mailCommit({ destroyMailboxes: [empty[change.pick % empty.length]!.id] }) : undefined;
  }
  const trash = mailboxWithRole(view, 'trash');
  const next = plain[change.pick % Math.max(1, plain.length)];
  return next && mailCommit({ putMailboxes: [...(trash ? [{ ...trash, role: null }] : []), { ...next, role: 'trash' }] });
};

/**
 * Everything that a client can read of the account: records with counters, queries, states, and /changes from every
 * state.
 */
const readable = async (store: MailStore) => {
  const view = (await store.open(account))!;
  const emails = emailsOf(view);
  const sorts = [[], [{ property: 'size', isAscending: true }], [{ property: 'sentAt', isAscending: false }]] as const;
  const changes: Record<string, unknown> = {};
  for (const type of storedTypes.keys()) {
    for (let sequence = 0; sequence <= view.sequence; sequence++) {
      const state = `${type}-${sequence}`;
      changes[state] = [(await store.changes(view, type, state)) ?? null, (await store.changedRecords(view, type, state)) ?? null];
    }
  }
  return {
    sequence: view.sequence,
    states: [...storedTypes.keys()].map((type) => view.state(type)),
    records: (['Email', 'Mailbox', 'Thread'] as const).map((type) => [...recordsOf(view, type)].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    rows: emails.all().toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    queries: sorts.map((sort) => [...emails.query({ hasKeyword: '$seen' }, sort), ...emails.query(undefined, sort, true)]),
    changes,
  };
};

const play = async (mail: IndexedMail, store: MailStore, events: readonly Event[], start: number): Promise<void> => {
  for (const [offset, event] of events.entries()) {
    const number = start + offset;
    if (event.do === 'wait') mail.clock.wait(event.days);
    else if (event.do === 'index') expect(await mail.index(event)).toBe(0);
    else if (event.do === 'deliver') {
      const email = newEmail(number, { subject: 'S', threadMessageIds: [`${number}@example.net`, `thread${event.thread}@example.net`] });
      // Ids of another length than the store's own are not packed.
      const id = event.short ? `Ns${number}` : emailId(number);
      await store.deliver(account, { ...email, size: 1000 + ((number * 37) % 90), content: { ...email.content, id } });
    } else {
      const commit = (view: AccountView) => commitOf(event, view, number);
      await store.commit((await store.open(account))!, commit);
    }
  }
};

describe('an account that was opened from a snapshot and the log after it', () => {
  test('equals the account that was opened from its records, for any history and any snapshots', async () => {
    let fromSnapshots = 0;
    await assertProperty(
      fc.asyncProperty(fc.array(event, { maxLength: 45, size: 'max' }), fc.array(event, { maxLength: 12 }), async (before, after) => {
        const mail = indexedMail({ bounds: { commits: 4, logBytes: 3000 } });
        const writer = mail.fromRecords();
        await writer.createAccount(account);
        await play(mail, writer, before, 100);
        if ((await mail.head(account)).snapshot !== undefined) fromSnapshots++;
        const opened = mail.cold();
        expect(await readable(opened)).toEqual(await readable(mail.fromRecords()));
        // The opened index accepts further commits, its own as well as others.
        await play(mail, opened, after, 500);
        await play(mail, writer, after, 700);
        expect(await readable(opened)).toEqual(await readable(mail.fromRecords()));
        expect(mail.log.records.filter(({ level }) => level !== 'info')).toEqual([]);
      }),
      { numRuns: 25 },
    );
    expect(fromSnapshots).toBeGreaterThan(8);
  });
});
