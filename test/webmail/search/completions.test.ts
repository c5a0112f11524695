import type { Mailbox } from '../../../webmail/jmap/types.ts';
import { completions } from '../../../webmail/search/completions.ts';

const mailbox = (id: string, name: string, role: string | null, parentId: string | null = null): Mailbox =>
  ({ id, name, role, parentId, sortOrder: 10 }) as unknown as Mailbox;
const completable = {
  mailboxes: [mailbox('i', 'INBOX', 'inbox'), mailbox('t', 'Bin', 'trash'), mailbox('o', 'Old things', null), mailbox('u', 'Über uns', null, 'o')],
  labels: [
    { keyword: 'work', name: 'Work' },
    { keyword: 'wait', name: 'To wait for' },
  ],
  people: [
    { name: 'Bob Éclair', email: 'bob@example.net' },
    { name: null, email: 'alice@example.test' },
    { name: 'Eve', email: 'eve@bob.example' },
    { name: 'Eve again', email: 'EVE@bob.example' },
  ],
};
/** The completions of a text whose caret is at `|`, as labels and as the text that they insert, with its caret. */
const completed = (marked: string): [string, string][] => {
  const caret = marked.indexOf('|');
  const found = completions(marked.replace('|', ''), caret, completable);
  return found.map(({ label, insert }) => [label, `${insert.text.slice(0, insert.caret)}|${insert.text.slice(insert.caret)}`]);
};

test.each<[string, [string, string][]]>([
  ['fr|', [['from:', 'from:|']]],
  ['a -FR| b', [['from:', 'a -from:| b']]],
  [
    'i|',
    [
      ['is:', 'is:|'],
      ['in:', 'in:|'],
    ],
  ],
  ['"fr|', []],
  ['|', []],
  ['a |', []],
  ['fr|om:bob', []],
  [
    'is:|',
    [
      ['unread', 'is:unread |'],
      ['read', 'is:read |'],
      ['flagged', 'is:flagged |'],
    ],
  ],
  ['is:read|', [['unread', 'is:unread |']]],
  ['has:a| b', [['attachment', 'has:attachment |b']]],
  ['from:ecl|', [['Bob Éclair <bob@example.net>', 'from:bob@example.net |']]],
  [
    '-to:"BOB| x',
    [
      ['Bob Éclair <bob@example.net>', '-to:bob@example.net |x'],
      ['Eve again <EVE@bob.example>', '-to:EVE@bob.example |x'],
    ],
  ],
  ['from:alice@example.test|', []],
  ['in:uber|', [['Old things/Über uns', 'in:"Old things/Über uns" |']]],
  ['in:tr| x', [['Trash', 'in:Trash |x']]],
  ['in:any|', [['anywhere', 'in:anywhere |']]],
  [
    'label:w|x y',
    [
      ['Work', 'label:Work |y'],
      ['To wait for', 'label:"To wait for" |y'],
    ],
  ],
  ['after:ye|', [['yesterday', 'after:yesterday |']]],
  ['subject:b|', []],
])('the text %j is completed', (text, found) => expect(completed(text)).toEqual(found));

test('there are at most eight', () => {
  const people = Array.from({ length: 5000 }, (_, index) => ({ name: `Person ${index}`, email: `p${index}@example.net` }));
  expect(completions('from:p', 6, { ...completable, people })).toHaveLength(8);
});
