import { bodyLists, hasAttachment } from '../../../../core/mime/body/body-lists.ts';
import type { BodyPart } from '../../../../core/mime/parsed-email.ts';

const part = (partId: string, type: string, more: Partial<BodyPart> = {}): BodyPart => ({
  partId,
  type,
  headers: { start: 0, end: 0 },
  size: 1,
  ...more,
});
const multipart = (subtype: string, ...subParts: BodyPart[]): BodyPart => ({
  type: `multipart/${subtype}`,
  headers: { start: 0, end: 0 },
  size: 0,
  subParts,
});
const lists = (structure: BodyPart) => {
  const { textBody, htmlBody, attachments } = bodyLists(structure);
  return [textBody, htmlBody, attachments].map((parts) => parts.map(({ partId }) => partId).join(''));
};

describe('bodyLists', () => {
  // @requirement 8621 §4.1.4 body-lists
  test('gives the lists of the example in RFC 8621 §4.1.4', () => {
    const structure = multipart('mixed',
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
      lists(
        multipart(
          'mixed',
          part('1', 'text/plain'),
          part('2', 'text/plain', { name: 'notes.txt' }),
          part('3', 'image/png', { name: 'a.png' }),
        ),
      ),
    ).toEqual(['13', '13', '2']);
  });
});

describe('hasAttachment', () => {
  // @requirement 8621 §4.1.4 has-attachment
  test('is true for a file, and false for an image that the HTML shows inline', () => {
    const html = part('1', 'text/html');
    expect(hasAttachment(multipart('related', html, part('2', 'image/png', { disposition: 'inline' })))).toBe(false);
    expect(hasAttachment(multipart('mixed', html, part('2', 'application/pdf')))).toBe(true);
    expect(hasAttachment(html)).toBe(false);
  });
});
