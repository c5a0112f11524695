import * as fc from 'fast-check';
import { decodeFileName, decodeModifiedUtf7, encodeModifiedUtf7, folderNamed } from '../../../cli/sources/folder-names.ts';
import { assertProperty } from '../../support/assert-property.ts';

describe('the role of a folder', () => {
  test.each([
    [['INBOX'], 'inbox'],
    [['Sent Items'], 'sent'],
    [['Deleted Items'], 'trash'],
    [['Junk E-mail'], 'junk'],
    [['Drafts'], 'drafts'],
    [['Archives'], 'archive'],
    [['INBOX', 'Sent'], 'sent'],
    [['[Gmail]', 'Sent Mail'], 'sent'],
    [['[Gmail]', 'All Mail'], 'archive'],
    [['Projects', 'Sent'], undefined],
    [['Posteingang', 'Gesendet'], 'sent'],
    [['INBOX', 'Work', 'Sent'], undefined],
    [['Calendar'], undefined],
    [[], 'inbox'],
  ] as const)('of %j is %s', (path, role) => {
    expect(folderNamed(path).role).toBe(role);
  });

  test.each([
    ['inbox', 'Posteingang', 'Boîte de réception', 'Bandeja de entrada', 'Posta in arrivo', 'Postvak IN', 'Caixa de Entrada', 'Skrzynka odbiorcza'],
    [
      'sent',
      'Gesendete Elemente',
      'Gesendete Objekte',
      'Gesendet',
      'Éléments envoyés',
      'Messages envoyés',
      'Elementos enviados',
      'Posta inviata',
      'Verzonden items',
      'Itens Enviados',
      'Elementy wysłane',
      'Wysłane',
    ],
    ['drafts', 'Entwürfe', 'Brouillons', 'Borradores', 'Bozze', 'Concepten', 'Rascunhos', 'Kopie robocze', 'Wersje robocze'],
    [
      'trash',
      'Papierkorb',
      'Gelöschte Elemente',
      'Corbeille',
      'Éléments supprimés',
      'Papelera',
      'Elementos eliminados',
      'Cestino',
      'Posta eliminata',
      'Prullenbak',
      'Verwijderde items',
      'Lixeira',
      'Itens Excluídos',
      'Kosz',
      'Elementy usunięte',
    ],
    [
      'junk',
      'Junk-E-Mail',
      'Courrier indésirable',
      'Indésirables',
      'Correo no deseado',
      'Posta indesiderata',
      'Ongewenste e-mail',
      'Lixo Eletrônico',
      'Wiadomości-śmieci',
    ],
    ['archive', 'Archiv', 'Archivo', 'Archivio', 'Archief', 'Arquivo', 'Arquivo Morto', 'Archiwum'],
  ])('%s is known in German, French, Spanish, Italian, Dutch, Portuguese and Polish', (role, ...names) => {
    expect(names.map((name) => [name, folderNamed([name.normalize('NFD')]).role])).toEqual(names.map((name) => [name, role]));
    expect(names.map((name) => folderNamed([name.toUpperCase()]).role)).toEqual(names.map(() => role));
  });

  test('does not change the names, except Gmail’s namespace', () => {
    expect(folderNamed(['INBOX', 'Work']).path).toEqual(['INBOX', 'Work']);
    expect(folderNamed(['[Gmail]', 'Work', 'Old']).path).toEqual(['Work', 'Old']);
    expect(folderNamed(['[Gmail]']).path).toEqual(['[Gmail]']);
  });
});

describe('modified UTF-7', () => {
  test.each([
    ['Entw&APw-rfe', 'Entwürfe'],
    ['&U,BTFw-', '台北'],
    ['Q&-A', 'Q&A'],
    ['&2D3cjA-', '💌'],
    ['Gelöscht', 'Gelöscht'],
    ['R&D', 'R&D'],
    ['&AP-', '&AP-'],
    ['', ''],
    ['P&L-Reports', 'P&L-Reports'],
    ['R&D-Team', 'R&D-Team'],
    ['Q&A-2024', 'Q&A-2024'],
    ['A & B', 'A & B'],
    ['AT&T-Bills', 'AT&T-Bills'],
    ['B&AGEAYg-', 'B&AGEAYg-'],
  ])('%s is %s', (encoded, name) => {
    expect(decodeModifiedUtf7(encoded)).toBe(name);
  });

  test('is decoded to the original name', () => {
    assertProperty(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!/\p{Cc}/u.test(text) && text.isWellFormed());
        const encoded = encodeModifiedUtf7(text);
        expect(encoded).not.toMatch(/[^\x20-\x7e]/);
        expect(decodeModifiedUtf7(encoded)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });
});

test('octets of a file name are UTF-8, or Latin-1', () => {
  expect(decodeFileName(Buffer.from('Grüße'))).toBe('Grüße');
  expect(decodeFileName(Buffer.from('Grüße', 'latin1'))).toBe('Grüße');
});
