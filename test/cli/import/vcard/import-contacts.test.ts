import { readFile, writeFile } from 'node:fs/promises';
import { capability } from '../../../../contract/jmap/core.ts';
import { openMailTerminal, type MailTerminal } from '../../mail-terminal.ts';

const vCards = [
  ['VERSION:3.0', 'FN:Ada Lovelace', 'N:Lovelace;Ada;;;', 'EMAIL;TYPE=INTERNET,WORK:ada@example.org', 'PHOTO;ENCODING=b;TYPE=PNG:iVBORw0KGgoAAAANSUhEUg=='],
  ['VERSION:4.0', 'FN:Bob', 'UID:urn:uuid:bob', 'TEL;TYPE=cell:+1 555'],
  ['VERSION:4.0', 'FN:Bad', 'PHOTO:data:text/html;base64\\,AAAA'],
  ['VERSION:4.0', 'not a line of a vCard'],
].map((lines) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n')).join('\r\n');

describe('contacts', () => {
  let terminal: MailTerminal;
  beforeEach(async () => { terminal = await openMailTerminal(); });
  afterEach(() => terminal.close());

  const cards = async () => (await terminal.deployment.call('ContactCard/get', { ids: null }, { using: [capability.contacts] }))['list'] as
    readonly { readonly name: { readonly full: string }; readonly addressBookIds: object }[];
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

  test('are not written in another version', async () => {
    expect(await terminal.run('export', '--to', 'x.vcf', '--vcard-version', '2.1')).toMatchObject({ code: 2 });
  });
});
