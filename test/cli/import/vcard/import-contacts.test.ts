import { readFile, writeFile } from 'node:fs/promises';
import { capability } from '../../../../contract/jmap/core.ts';
import { openMailTerminal, type MailTerminal } from '../../mail-terminal.ts';

const vCards = [
  ['VERSION:3.0', 'FN:Ada Lovelace', 'N:Lovelace;Ada;;;', 'EMAIL;TYPE=INTERNET,WORK:ada@example.org', 'PHOTO;ENCODING=b;TYPE=PNG:iVBORw0KGgoAAAANSUhEUg=='],
  ['VERSION:4.0', 'FN:Bob', 'UID:urn:uuid:bob', 'TEL;TYPE=cell:+1 555'],
  ['VERSION:4.0', 'FN:Bad', 'PHOTO:data:text/html;base64\\,AAAA'],
  ['VERSION:4.0', 'not a line of a vCard'],
]
  .map((lines) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n'))
  .join('\r\n');

describe('contacts', () => {
  let terminal: MailTerminal;
  beforeEach(async () => {
    terminal = await openMailTerminal();
  });
  afterEach(() => terminal.close());

  const cards = async () =>
    (await terminal.deployment.call('ContactCard/get', { ids: null }, { using: [capability.contacts] }))['list'] as readonly {
      readonly name: { readonly full: string };
      readonly addressBookIds: object;
    }[];
  const names = async () => (await cards()).map(({ name }) => name.full).sort();

  test('of a file are added once to the default address book; the others are reported', async () => {
    const file = terminal.path('people.vcf');
    await writeFile(file, vCards);
    expect(await terminal.run('import', file, '--dry-run')).toMatchObject({ code: 4, out: expect.stringContaining('4 contacts, 1 that cannot') });
    expect(await names()).toEqual([]);
    const first = await terminal.run('import', file);
    expect(first).toMatchObject({ code: 4, out: expect.stringContaining('4 contacts: 2 imported, 0 there already, 2 failed.') });
    expect(first.err).toMatch(/vCard 4 cannot be read[\s\S]*vCard 3 was refused: The photo of a card must be an image/);
    expect(await terminal.run('import', file)).toMatchObject({ out: expect.stringContaining('0 imported, 2 there already, 2 failed.') });
    expect(await names()).toEqual(['Ada Lovelace', 'Bob']);
    expect((await cards())[0]!.addressBookIds).toEqual({ default: true });
  });

  test.each(['3.0', '4.0'])('are written to a file of version %s with their photos, and read back by another account', async (version) => {
    const file = terminal.path('people.vcf');
    await writeFile(file, vCards);
    await terminal.run('import', file);
    const out = terminal.path('out.vcf');
    expect(await terminal.run('export', '--to', out, '--vcard-version', version)).toMatchObject({ code: 0, out: expect.stringContaining('2 contacts to') });
    const text = await readFile(out, 'utf8');
    expect(text.match(/^VERSION:.*$/gm)).toEqual([`VERSION:${version}`, `VERSION:${version}`]);
    expect(text).toContain('ada@example.org');
    expect(text.replaceAll(/\r\n /g, '')).toContain('iVBORw0KGgoAAAANSUhEUg==');
    expect(await terminal.run('import', out)).toMatchObject({ code: 0, out: expect.stringContaining('0 imported, 2 there already') });
  });

  const names1252 = Buffer.from(vCards.replace('Bob', 'J\u00F6rg'), 'latin1');
  test.each([
    ['Windows-1252', names1252],
    ['UTF-16', Buffer.from(`\uFEFF${names1252.toString('latin1')}`, 'utf16le')],
  ])('are read from a file in %s', async (_, octets) => {
    await writeFile(terminal.path('people.vcf'), octets);
    await terminal.run('import', terminal.path('people.vcf'));
    expect(await names()).toEqual(['Ada Lovelace', 'J\u00F6rg']);
  });

  test('that are cut are named, and do not stop the others', async () => {
    const file = terminal.path('people.vcf');
    await writeFile(file, `  ${vCards.slice(0, vCards.indexOf('UID:urn:uuid:bob'))}`);
    expect(await terminal.run('import', file)).toMatchObject({
      code: 4,
      out: expect.stringContaining('2 contacts: 1 imported, 0 there already, 1 failed.'),
      err: expect.stringContaining('vCard 2 cannot be read, and is left out (Bob): it has no END:VCARD.'),
    });
  });

  test('with the uid of another one in the file are imported with another uid', async () => {
    const file = terminal.path('people.vcf');
    await writeFile(file, ['Ada', 'Bob', 'Bob'].map((name) => `BEGIN:VCARD\nVERSION:3.0\nFN:${name}\nUID:1\nEND:VCARD\n`).join(''));
    expect(await terminal.run('import', file)).toMatchObject({
      code: 0,
      out: expect.stringContaining('2 imported, 1 there already'),
      err: expect.stringContaining('vCard 2 has the uid of vCard 1, and gets another one (Bob).'),
    });
    expect(await names()).toEqual(['Ada', 'Bob']);
  });

  test('with a property that is too large are imported without it, which is said', async () => {
    const file = terminal.path('people.vcf');
    const lines = ['VERSION:2.1', 'N:Ada', 'X-MS-CARDPICTURE;ENCODING=BASE64:', ...Array.from({ length: 2000 }, () => `  ${'A'.repeat(60)}`), '', 'X-SMALL:a'];
    await writeFile(file, `BEGIN:VCARD\r\n${lines.join('\r\n')}\r\nEND:VCARD\r\n`);
    expect(await terminal.run('import', file)).toMatchObject({
      code: 4,
      out: expect.stringContaining('1 imported'),
      err: expect.stringContaining('vCard 1 is too large, and is imported without X-MS-CARDPICTURE (Ada).'),
    });
    expect(await cards()).toEqual([expect.objectContaining({ vCardProps: [['x-small', {}, 'unknown', 'a']] })]);
  });

  test('are missed in a file that has none', async () => {
    const file = terminal.path('people.vcf');
    await writeFile(file, 'FN:Ada\n');
    expect(await terminal.run('import', file)).toMatchObject({ code: 1, err: expect.stringContaining('has no vCard') });
  });

  test('that the server refuses together are imported one by one', async () => {
    const file = terminal.path('people.vcf');
    const photo = Buffer.concat([Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64'), Buffer.alloc(4_000_000)]).toString('base64');
    await writeFile(
      file,
      ['Big', 'Small']
        .map((name) => `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:${name}\r\n${name === 'Big' ? `PHOTO;ENCODING=b;TYPE=PNG:${photo}\r\n` : ''}END:VCARD\r\n`)
        .join(''),
    );
    const run = await terminal.run('import', file);
    expect(run).toMatchObject({ code: 4, out: expect.stringContaining('1 imported, 0 there already, 1 failed') });
    expect(run.err).toMatch(/vCard 1 was refused: .*\(Big\)/);
    expect(await names()).toEqual(['Small']);
  });

  test('are written without what no vCard can have, which is named', async () => {
    const using = { using: [capability.contacts] };
    const create = {
      a: {
        name: { full: 'Ada' },
        addressBookIds: { default: true },
        vCardProps: [
          ['x-a\r\nb', {}, 'text', 'c'],
          ['x-d', {}, 'text', 'kept'],
        ],
      },
      b: { name: { full: 'Bob' }, addressBookIds: { default: true } },
    };
    await terminal.deployment.call('ContactCard/set', { create }, using);
    const out = terminal.path('out.vcf');
    expect(await terminal.run('export', '--to', out, '--vcard-version', '3.0')).toMatchObject({
      code: 4,
      out: expect.stringContaining('2 contacts to'),
      err: expect.stringContaining('Ada: left out the property ["x-a\\r\\nb"'),
    });
    expect((await readFile(out, 'utf8')).match(/^(?:FN|X-D|B).*/gm)).toEqual(['BEGIN:VCARD', 'FN:Ada', 'X-D;VALUE=text:kept', 'BEGIN:VCARD', 'FN:Bob']);
  });

  test('are not written in another version', async () => {
    expect(await terminal.run('export', '--to', 'x.vcf', '--vcard-version', '2.1')).toMatchObject({ code: 2 });
  });
});
