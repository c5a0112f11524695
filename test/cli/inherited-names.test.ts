import { readdir, readFile, writeFile } from 'node:fs/promises';
import { capability } from '../../contract/jmap/core.ts';
import { inheritedNames } from '../support/inherited-names.ts';
import { openMailTerminal, type MailTerminal } from './mail-terminal.ts';

let terminal: MailTerminal;
beforeEach(async () => {
  terminal = await openMailTerminal();
});
afterEach(() => terminal.close());

const contacts = { using: [capability.contacts] };

describe.each(inheritedNames)('the name %s, which every object inherits, is a name like others', (name) => {
  test('as a label of Gmail, and as a keyword of a maildir', async () => {
    const path = terminal.path('All mail.mbox');
    await writeFile(path, `From a Sat Nov 21 08:38:00 2026\nFrom: a@example.net\nSubject: a\nX-Gmail-Labels: ${name}\nX-Keywords: ${name}\n\nHello\n`);
    expect(await terminal.run('import', path)).toMatchObject({ code: 0, err: '' });
    expect([...(await terminal.mailboxPaths()).values()]).toContain(name);
    expect(await terminal.run('export', '--to', terminal.path('out'), '--format', 'maildir')).toMatchObject({ code: 0, err: '' });
    expect(await readdir(terminal.path('out', `.${name}`, 'cur'))).toEqual([expect.stringMatching(/:2,a$/)]);
  });

  test('as a type of a vCard’s phone, and as the kind and the id of a card’s objects', async () => {
    const path = terminal.path('people.vcf');
    await writeFile(path, `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nUID:urn:uuid:a\r\nTEL;TYPE=${name}:+1 555\r\nEND:VCARD\r\n`);
    expect(await terminal.run('import', path)).toMatchObject({ code: 0, err: '' });
    const {
      list: [card],
    } = (await terminal.deployment.call('ContactCard/get', { ids: null }, contacts)) as { list: { id: string; phones: object }[] };
    expect(Object.values(card!.phones)).toEqual([{ number: '+1 555', vCardParams: { type: name.toLowerCase() } }]);
    await terminal.deployment.call(
      'ContactCard/set',
      {
        update: {
          [card!.id]: {
            calendars: { a: { kind: name, uri: 'https://example.com/kept' } },
            media: { [name]: { kind: 'photo', uri: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==' } },
          },
        },
      },
      contacts,
    );
    expect(await terminal.run('export', '--to', terminal.path('out.vcf'))).toMatchObject({ code: 0, err: '' });
    const text = await readFile(terminal.path('out.vcf'), 'utf8');
    expect(text).toMatch(/PHOTO/);
    expect(text.replaceAll('\r\n ', '')).toContain(`JSPROP;JSPTR=calendars:{"a":{"kind":"${name}"\\,"uri":"https://example.com/kept"}}`);
  });
});
