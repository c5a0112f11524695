import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { accountOpener } from '../../../../core/mail/account-opener.ts';
import { emailsOf } from '../../../../core/mail/email/email-type.ts';
import { headKey } from '../../../../core/mail/keys.ts';
import { mailboxesOf } from '../../../../core/mail/mailbox/mailbox-record.ts';
import { snapshotOf } from '../../../../core/mail/snapshot/account-snapshot.ts';
import { encodeSnapshot, snapshotVersion } from '../../../../core/mail/snapshot/snapshot-file.ts';
import { snapshotName } from '../../../../core/mail/snapshot/snapshot-name.ts';
import { storedTypes as types } from '../../../../core/mail/stored-types.ts';
import { indexedMail } from '../../../support/indexed-mail.ts';
import { historyAccount, writeMailHistory } from '../../../support/mail-history.ts';

/** One file for each version: the snapshot of the account of `writeMailHistory`, in base64. */
const folder = join(__dirname, 'released-snapshots');
const snapshotOfVersion = (version: number) => Buffer.from(readFileSync(join(folder, `version-${version}.base64`), 'utf8'), 'base64');

/** The account with a head that names this snapshot. */
const accountWith = async (bytes: Buffer) => {
  const mail = indexedMail();
  await writeMailHistory(mail.table);
  const { sequence, logBytes } = await mail.head(historyAccount);
  const snapshot = snapshotName({ sequence, logBytes, headerOctets: 24 + bytes.readUInt32LE(8), octets: bytes.length, nonce: 'n' });
  await mail.objects.put(`snapshots/${historyAccount}/${snapshot}`, bytes);
  await mail.table.write([{ update: headKey(historyAccount), set: { snapshot } }]);
  return mail;
};

describe('snapshots of releases', () => {
  test('have a file for the version of this release', () => {
    expect(readdirSync(folder)).toContain(`version-${snapshotVersion}.base64`);
  });

  test('are what this release writes: another form needs a new version and a new file', async () => {
    const mail = indexedMail();
    await writeMailHistory(mail.table);
    const account = (await accountOpener({ table: mail.table, types }).open(historyAccount))!;
    expect(encodeSnapshot(snapshotOf(account)).bytes.toString('base64')).toBe(snapshotOfVersion(snapshotVersion).toString('base64'));
  });

  test('are read as they were written', async () => {
    const mail = await accountWith(snapshotOfVersion(snapshotVersion));
    const [restored, loaded] = await Promise.all([mail.cold(), mail.fromRecords()].map((store) => store.open(historyAccount)));
    const readable = (view: NonNullable<typeof restored>) => [
      emailsOf(view).all().toSorted((a, b) => (a.id < b.id ? -1 : 1)), mailboxesOf(view).all().map((each) => [each, emailsOf(view).counters(each.id)]),
    ];
    expect(readable(restored!)).toEqual(readable(loaded!));
    expect(mail.log.records).toEqual([]);
  });

  test.each([
    ['an older release is replaced', snapshotVersion - 1, 'outdated', false],
    ['a newer release stays named, for Lambdas of that release', snapshotVersion + 1, 'newer', true],
  ])('of %s', async (_what, version, problem, isKept) => {
    const bytes = snapshotOfVersion(snapshotVersion);
    bytes.writeUInt16LE(version, 6);
    bytes.writeUInt32LE(crc32(bytes.subarray(24, 24 + bytes.readUInt32LE(8)), crc32(bytes.subarray(0, 20))), 20);
    const mail = await accountWith(bytes);
    expect(emailsOf((await mail.cold().open(historyAccount))!).size).toBe(2);
    expect(mail.log.records).toMatchObject([{ level: 'warn', details: { problem } }]);
    expect((await mail.head(historyAccount)).snapshot !== undefined).toBe(isKept);
  });
});
