import { crc32 } from 'node:zlib';
import type { TextCondition } from '../../../../core/mail/email/index/email-filter.ts';
import { searchFields } from '../../../../core/search/search-document.ts';
import { parseSearchText } from '../../../../core/search/search-words.ts';
import { segmentVersion } from '../../../../core/search/segment-format/segment-file.ts';
import { searchedMail } from '../../../support/searched-mail.ts';

/** A copy of a segment with another version number. */
const withVersion = (segment: Buffer, version: number): Buffer => {
  const bytes = Buffer.from(segment);
  bytes.writeUInt16LE(version, 6);
  const json = bytes.subarray(24, 24 + bytes.readUInt32LE(8));
  bytes.writeUInt32LE(crc32(json, crc32(bytes.subarray(0, 20))), 20);
  return bytes;
};

test('segments of an older version are not used for a search, and the indexer replaces them', async () => {
  const mail = await searchedMail({ bounds: { logBytes: 1200, remaining: 3 } });
  const found = [await mail.deliver(0, { body: 'walrus' })];
  for (let number = 1; number < 6; number++) await mail.deliver(number, { body: 'tapir' });
  await mail.index();
  const walrus: TextCondition = { fields: [searchFields.indexOf('body')], phrases: parseSearchText('walrus')! };
  for (const name of mail.searchKeys()) {
    const { bytes } = (await mail.objects.get(name))!;
    if (bytes.toString('latin1', 0, 6) === 'PRSRCH') await mail.objects.put(name, withVersion(bytes, segmentVersion - 1));
  }
  const [old] = await mail.segments();
  expect(await mail.find(walrus, mail.newSearch())).toEqual(found);
  await mail.index({ isCold: true });
  expect(await mail.segments()).toEqual([expect.not.stringMatching(old!)]);
  expect(await mail.find(walrus, mail.newSearch(), { spendOctets: (octets) => octets === 0, spendEmails: (emails) => emails === 0 })).toEqual(found);
});
