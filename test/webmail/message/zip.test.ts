import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { zipOf } from '../../../webmail/message/zip.ts';

/** The files of a zip. The reader checks the checksums and the sizes. */
const filesIn = async (zip: Blob): Promise<readonly { readonly name: string; readonly content: string; readonly time: Date }[]> => {
  const opened = await fromBufferPromise(Buffer.from(await zip.arrayBuffer()));
  const files = [];
  for await (const entry of opened.eachEntry()) {
    const content = (await buffer(await opened.openReadStreamPromise(entry))).toString('latin1');
    files.push({ name: entry.fileName, content, time: entry.getLastModDate() });
  }
  return files;
};

describe('a zip of the web mail', () => {
  test('is read by another program, with names in any alphabet, empty files and files of several pieces', async () => {
    const time = new Date(2026, 10, 30, 23, 59, 58);
    const contents = ['Subject: a\r\n\r\n\u0000\u00ff', '', 'x'.repeat(3_000_001)];
    const entries = contents.map((content, index) => ({ name: `${index} Grüße 🦭.eml`, content: new Blob([Buffer.from(content, 'latin1')]), time }));
    expect(await filesIn(await zipOf(entries))).toEqual(contents.map((content, index) => ({ name: `${index} Grüße 🦭.eml`, content, time })));
  });

  test('has the first day that it knows for an earlier time', async () => {
    const [file] = await filesIn(await zipOf([{ name: 'a', content: new Blob([]), time: new Date(1970, 0, 1) }]));
    expect(file!.time).toEqual(new Date(1980, 0, 1));
  });

  test('has the checksum of its content', async () => {
    const zip = new DataView(await (await zipOf([{ name: 'a', content: new Blob(['123456789']), time: new Date() }])).arrayBuffer());
    expect(zip.getUint32(14, true)).toBe(0xcb_f4_39_26);
  });
});
