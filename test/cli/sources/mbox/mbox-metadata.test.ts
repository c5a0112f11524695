import { keywordsOf } from '../../../../cli/sources/keywords.ts';
import { mboxMetadata } from '../../../../cli/sources/mbox/mbox-metadata.ts';
import { headerFields, plainMessageId, receivedDate } from '../../../../cli/sources/message-header.ts';

const metadata = (header: string) => {
  const { keywords, labelFolders, isDeleted, isExpunged } = mboxMetadata(headerFields(Buffer.from(`${header}\n\nX-Keywords: body\n`)));
  return { keywords: [...keywords].sort(), folders: labelFolders?.map(({ path, role }) => role ?? path.join('/')), isDeleted, isExpunged };
};
const plain = { keywords: [], folders: undefined, isDeleted: false, isExpunged: false };

describe('the flags of a message in an mbox', () => {
  test.each([
    ['Status: RO\nX-Status: AF', { ...plain, keywords: ['$answered', '$flagged', '$seen'] }],
    ['Status: O\nX-Status: T\nX-Keywords: Work $Forwarded NonJunk', { ...plain, keywords: ['$draft', '$forwarded', '$notjunk', 'work'] }],
    ['X-Status: D', { ...plain, isDeleted: true }],
    ['X-Mozilla-Status: 1007\nX-Mozilla-Keys: $label1  later', { ...plain, keywords: ['$answered', '$flagged', '$forwarded', '$label1', '$seen', 'later'] }],
    ['X-Mozilla-Status: 0009', { ...plain, keywords: ['$seen'], isExpunged: true }],
    ['X-Mozilla-Status: odd', plain],
    [
      'X-GM-THRID: 1\nX-Gmail-Labels: Inbox,Important,Opened,Starred,Category Updates',
      { ...plain, keywords: ['$flagged', '$important', '$seen'], folders: ['inbox'] },
    ],
    ['X-Gmail-Labels: Archived,Unread', { ...plain, folders: ['archive'] }],
    ['X-Gmail-Labels: Unread', { ...plain, folders: ['archive'] }],
    [
      'X-Gmail-Labels: =?UTF-8?Q?Projekte/Gr=C3=BCn,"a,_b",Spam?=\n =?UTF-8?Q?,Sent,Opened?=',
      { ...plain, keywords: ['$seen'], folders: ['Projekte/Grün', 'a, b', 'junk', 'sent'] },
    ],
    ['Subject: none', plain],
  ])('%j', (header, expected) => {
    expect(metadata(header)).toEqual(expected);
  });
});

describe('keywords', () => {
  test('of IMAP become keywords of JMAP, each once', () => {
    expect(keywordsOf(['\\Seen', '\\SEEN', '\\Recent', '\\Deleted', '$MDNSent', 'Junk', 'ToDo', 'a(b"c', 'grün', ''])).toEqual([
      '$seen',
      '$mdnsent',
      '$junk',
      'todo',
      'a_b_c',
      'gr_n',
    ]);
  });
});

describe('the header of a message', () => {
  test('is unfolded, with any line ends, and ends before the body', () => {
    const fields = headerFields(Buffer.from('A: 1\r\n 2\r\nb : 3\nnot a field\n folded\nA:\n\t4\n\r\nA: body\n'));
    expect([fields.get('a'), fields.get('b'), fields.get('c')]).toEqual([['1 2', '4'], ['3'], []]);
  });

  test('has the date of the newest Received field, else of its Date, else a given date', () => {
    const other = new Date(0);
    const date = (header: string) => receivedDate(headerFields(Buffer.from(header)), other).toISOString();
    expect(date('Received: from a by b; Sat, 21 Nov 2026 08:38:00 +0100 (CET)\nReceived: x; Fri, 20 Nov 2026 00:00:00 +0000\nDate: x\n\n')).toBe(
      '2026-11-21T07:38:00.000Z',
    );
    expect(date('Received: no date\nDate: 21 Nov 2026 08:38 GMT\n\n')).toBe('2026-11-21T08:38:00.000Z');
    expect(date('Date: soon\n\n')).toBe(other.toISOString());
  });

  test('has one valid Message-ID, or none', () => {
    const id = (header: string) => plainMessageId(Buffer.from(`${header}\n\n`));
    expect([
      id('Message-ID: <a@b>'),
      id('Message-Id:\n <a@b>'),
      id('Message-ID: <a@b>\nMessage-ID: <c@d>'),
      id('Message-ID: a@b'),
      id('Message-ID: <"a b"@c>'),
    ]).toEqual(['a@b', 'a@b', undefined, undefined, undefined]);
  });
});
