import { bodyLists, hasAttachment } from '../../../../core/mime/body/body-lists.ts';
import type { BodyPart } from '../../../../core/mime/parsed-email.ts';

const part = (partId: string, type: string, more: Partial<BodyPart> = {}): BodyPart => ({ partId, type, headers: { start: 0, end: 0 }, size: 1, ...more });
const multipart = (subtype: string, ...subParts: BodyPart[]): BodyPart => ({ type: `multipart/${subtype}`, headers: { start: 0, end: 0 }, size: 0, subParts });
const lists = (structure: BodyPart) => {
  const { textBody, htmlBody, attachments } = bodyLists(structure);
  return [textBody, htmlBody, attachments].map((parts) => parts.map(({ partId }) => partId).join(''));
};

describe('bodyLists', () => {
  // @requirement 8621 §4.1.4 body-lists
  test('gives the lists of the example in RFC 8621 §4.1.4', () => {
    const structure = multipart(
      'mixed',
      part('A', 'text/plain', { disposition: 'inline' }),
      multipart(
        'mixed',
        multipart(
          'alternative',
          multipart(
            'mixed',
            part('B', 'text/plain', { disposition: 'inline' }),
            part('C', 'image/jpeg', { disposition: 'inline' }),
            part('D', 'text/plain', { disposition: 'inline' }),
          ),
          multipart('related', part('E', 'text/html'), part('F', 'image/jpeg')),
        ),
        part('G', 'image/jpeg', { disposition: 'attachment' }),
        part('H', 'application/x-excel'),
        part('J', 'message/rfc822'),
      ),
      part('K', 'text/plain', { disposition: 'inline' }),
    );
    expect(lists(structure)).toEqual(['ABCDK', 'AEK', 'CFGHJ']);
  });

  test('puts a single part into the body if it is text, else into the attachments', () => {
    expect(lists(part('1', 'text/plain'))).toEqual(['1', '1', '']);
    expect(lists(part('1', 'text/html'))).toEqual(['1', '1', '']);
    expect(lists(part('1', 'application/pdf'))).toEqual(['', '', '1']);
  });

  test('uses an alternative that has only text or only HTML for both lists', () => {
    expect(lists(multipart('alternative', part('1', 'text/html')))).toEqual(['1', '1', '']);
    expect(lists(multipart('alternative', part('1', 'text/plain'), part('2', 'text/calendar')))).toEqual(['1', '1', '2']);
  });

  test('puts a named text after the first part into the attachments, and a named image into the body', () => {
    expect(
      lists(multipart('mixed', part('1', 'text/plain'), part('2', 'text/plain', { name: 'notes.txt' }), part('3', 'image/png', { name: 'a.png' }))),
    ).toEqual(['13', '13', '2']);
  });

  // @pitfall mime root-behind-files
  test.each<readonly [BodyPart, readonly string[]]>([
    [multipart('related', part('1', 'image/gif'), part('2', 'text/html')), ['2', '2', '1']],
    [multipart('related', part('1', 'application/pdf'), part('2', 'text/html')), ['2', '2', '1']],
    [multipart('related', part('1', 'image/gif'), part('2', 'text/plain')), ['2', '2', '1']],
    [multipart('related', part('1', 'image/gif'), multipart('alternative', part('2', 'text/plain'), part('3', 'text/html'))), ['2', '3', '1']],
    [{ ...multipart('related', part('1', 'text/plain'), part('2', 'text/html')), root: 1 }, ['2', '2', '1']],
    [multipart('related', part('1', 'text/html'), part('2', 'text/html')), ['1', '1', '2']],
    [multipart('related', part('1', 'image/gif'), part('2', 'image/png')), ['1', '1', '2']],
    [multipart('alternative', part('1', 'text/plain'), multipart('related', part('2', 'image/gif'), part('3', 'text/html'))), ['1', '3', '2']],
    [multipart('mixed', part('1', 'application/pdf'), part('2', 'text/html', { name: 'mail.html' })), ['2', '2', '1']],
    [multipart('mixed', part('1', 'application/pdf'), part('2', 'text/html', { name: 'a.html', disposition: 'attachment' })), ['', '', '12']],
    [multipart('alternative', part('1', 'text/plain'), multipart('related')), ['1', '1', '']],
  ])('shows the text whatever stands before it: case %#', (structure, expected) => expect(lists(structure)).toEqual(expected));
});

describe('hasAttachment', () => {
  // @requirement 8621 §4.1.4 has-attachment
  test('is true for a file, and false for an image that the HTML shows inline', () => {
    const html = part('1', 'text/html');
    expect(hasAttachment(multipart('related', html, part('2', 'image/png', { disposition: 'inline' })))).toBe(false);
    expect(hasAttachment(multipart('mixed', html, part('2', 'application/pdf')))).toBe(true);
    expect(hasAttachment(html)).toBe(false);
  });
  test.each<readonly [boolean, BodyPart]>([
    [false, multipart('related', part('1', 'text/html'), part('2', 'image/png', { cid: 'a@b' }))],
    [true, multipart('related', part('1', 'text/html'), part('2', 'image/png'))],
    [true, multipart('related', part('1', 'text/html'), part('2', 'image/png', { cid: 'a@b', disposition: 'attachment' }))],
    [true, multipart('mixed', part('1', 'text/plain'), part('2', 'application/pdf', { disposition: 'inline' }))],
    [true, multipart('mixed', part('1', 'text/plain'), part('2', 'message/rfc822', { disposition: 'inline' }))],
    [true, multipart('mixed', part('1', 'text/plain'), part('2', 'text/plain', { disposition: 'inline', name: 'notes.txt' }))],
    [false, multipart('alternative', part('1', 'text/plain'), part('2', 'text/calendar', { disposition: 'inline' }))],
    [false, multipart('mixed', part('1', 'text/plain'), part('2', 'image/png', { disposition: 'inline' }))],
  ])('is %s for a file that is %#', (expected, structure) => expect(hasAttachment(structure)).toBe(expected));
});
