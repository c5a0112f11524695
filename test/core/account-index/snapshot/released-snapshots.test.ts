import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { AccountIndex } from '../../../../core/account-index/account-index.ts';
import type { EmailRow } from '../../../../core/mail-types/email/email-record.ts';
import { emailsOf } from '../../../../core/mail-types/email/email-type.ts';
import { headKey } from '../../../../core/account-log/keys.ts';
import { mailboxesOf, newDefaultMailboxes } from '../../../../core/mail-types/mailbox/mailbox-record.ts';
import { snapshotOf } from '../../../../core/account-index/snapshot/account-snapshot.ts';
import { encodeSnapshot, readSnapshot, snapshotVersion } from '../../../../core/account-index/snapshot/snapshot-file.ts';
import { snapshotName } from '../../../../core/account-index/snapshot/snapshot-name.ts';
import type { StoredRecord } from '../../../../core/account-log/log-entry.ts';
import { storedTypes as types } from '../../../../core/mail-types/mail-store/stored-types.ts';
import { emailId } from '../../../support/email-fixtures.ts';
import { indexedMail } from '../../../support/indexed-mail.ts';

const accountId = 'acc_1';
let ids = 0;
const mailboxes = newDefaultMailboxes(() => `id${++ids}`);
const row = (number: number, more: Partial<EmailRow> = {}): EmailRow => ({
  id: emailId(number), threadId: `T${emailId(number % 3).slice(1)}`, mailboxIds: [mailboxes[number % 6]!.id], keywords: number % 2 ? ['$seen'] : [],
  receivedAt: 1000 + number * 7 % 5, sentAt: number, size: number * 100, ...more,
});
/** The Emails in the files: also one with an id that is not packed, one without a date, and one in two Mailboxes. */
const rows = [...Array.from({ length: 10 }, (_, number) => row(number)), row(11, { id: 'Nshort' }), row(12, { mailboxIds: ['Fid1', 'Fid2'] })];
delete (rows[3] as { sentAt?: number }).sentAt;

/** One file for each version, in base64. */
const folder = join(__dirname, 'released-snapshots');
const fileOfVersion = (version: number) => Buffer.from(readFileSync(join(folder, `version-${version}.base64`), 'utf8'), 'base64');
const headerOctets = (bytes: Buffer) => 24 + bytes.readUInt32LE(8);
const contentOf = (bytes: Buffer) =>
  readSnapshot(async (start, end) => bytes.subarray(start, end), { headerOctets: headerOctets(bytes), octets: bytes.length });

/** The snapshot that this release writes of the rows. */
const snapshotOfRows = (): Buffer => {
  const head = { sequence: 1, states: {}, lowWater: 0, roles: {}, bytes: 0, logBytes: 0 };
  const records: { readonly [type: string]: readonly StoredRecord[] } = { Mailbox: mailboxes, Email: rows };
  const account = new AccountIndex(accountId, types, head, ({ name, records: storage }, indexes) => {
    const builder = storage.indexBuilder();
    builder.add(records[name] ?? []);
    return builder.finish(indexes);
  });
  return encodeSnapshot(snapshotOf(account)).bytes;
};

/** An account without Emails, whose head names this snapshot. */
const accountWith = async (bytes: Buffer) => {
  const mail = indexedMail();
  await mail.fromRecords().createAccount(accountId);
  const snapshot = snapshotName({ sequence: 1, logBytes: 0, headerOctets: headerOctets(bytes), octets: bytes.length, nonce: 'n' });
  await mail.objects.put(`snapshots/${accountId}/${snapshot}`, bytes);
  await mail.table.write([{ update: headKey(accountId), set: { snapshot } }]);
  return mail;
};

describe('snapshots of releases', () => {
  test('have a file for the version of this release', () => {
    expect(readdirSync(folder)).toContain(`version-${snapshotVersion}.base64`);
  });

  test('have the form in which this release writes Emails: another form needs a new version and a new file', async () => {
    const [written, released] = await Promise.all([snapshotOfRows(), fileOfVersion(snapshotVersion)].map(contentOf));
    expect(written!.types['Email']).toEqual(released!.types['Email']);
  });

  test('are read as they were written', async () => {
    const mail = await accountWith(fileOfVersion(snapshotVersion));
    const view = (await mail.cold().open(accountId))!;
    expect(mail.log.records).toEqual([]);
    const byId = <R extends StoredRecord>(records: readonly R[]) => records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId(emailsOf(view).all())).toEqual(byId(rows));
    expect(byId(mailboxesOf(view).all())).toMatchObject(byId(mailboxes));
    expect(emailsOf(view).counters('Fid1')).toEqual({ totalEmails: 3, unreadEmails: 3, totalThreads: 1, unreadThreads: 1 });
  });

  test.each([
    ['an older release is replaced', snapshotVersion - 1, 'outdated', false],
    ['a newer release stays named, for Lambdas of that release', snapshotVersion + 1, 'newer', true],
  ])('of %s', async (_what, version, problem, isKept) => {
    const bytes = fileOfVersion(snapshotVersion);
    bytes.writeUInt16LE(version, 6);
    bytes.writeUInt32LE(crc32(bytes.subarray(24, headerOctets(bytes)), crc32(bytes.subarray(0, 20))), 20);
    const mail = await accountWith(bytes);
    expect(emailsOf((await mail.cold().open(accountId))!).size).toBe(0);
    expect(mail.log.records).toMatchObject([{ level: 'warn', details: { problem } }]);
    expect((await mail.head(accountId)).snapshot !== undefined).toBe(isKept);
  });
});
