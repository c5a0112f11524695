import type { Mailbox } from '../../../webmail/jmap/types.ts';
import { mailboxTree } from '../../../webmail/mailboxes/mailbox-tree.ts';

const mailbox = (id: string, more: Partial<Mailbox> = {}): Mailbox =>
  ({ id, name: id, parentId: null, role: null, sortOrder: 10, ...more }) as unknown as Mailbox;

test('mailboxes with roles come first, children below their parents, and the others by their order and name', () => {
  const nodes = mailboxTree([
    mailbox('work', { sortOrder: 20 }),
    mailbox('b'),
    mailbox('a'),
    mailbox('plans', { parentId: 'work' }),
    mailbox('trash', { role: 'trash' }),
    mailbox('inbox', { role: 'inbox' }),
    mailbox('lost', { parentId: 'not shared' }),
  ]);
  expect(nodes.map(({ mailbox: { id }, depth }) => `${'-'.repeat(depth)}${id}`)).toEqual(['inbox', 'trash', 'a', 'b', 'lost', 'work', '-plans']);
});
