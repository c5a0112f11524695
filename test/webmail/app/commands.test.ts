import { commandsOf, type CommandDependencies } from '../../../webmail/app/commands.ts';
import { createActs } from '../../../webmail/context/acts.ts';
import type { Email, Mailbox, MailboxRights } from '../../../webmail/jmap/types.ts';
import type { MailStore } from '../../../webmail/store/mail-store.ts';
import type { Patch } from '../../../webmail/store/pending-changes.ts';

const allRights: MailboxRights = { mayReadItems: true, mayAddItems: true, mayRemoveItems: true, maySetSeen: true, maySetKeywords: true };

const roles = ['inbox', 'archive', 'trash', 'junk'];

const start = (rights: Partial<Record<string, Partial<MailboxRights>>> = {}, keywords: Record<string, boolean> = {}, isReadOnly = false) => {
  const mailboxes = roles.map((role) => ({
    id: role,
    role,
    name: role,
    parentId: null,
    sortOrder: 0,
    myRights: { ...allRights, ...rights[role] },
  })) as unknown as Mailbox[];
  const emails = new Map(roles.map((role) => [role, { id: role, mailboxIds: { [role]: true }, keywords } as unknown as Email]));
  const changes: [string, Patch][][] = [];
  const store = {
    mailboxes: () => mailboxes,
    email: (id: string) => emails.get(id),
    change: async (patches: ReadonlyMap<string, Patch>) => void changes.push([...patches]),
  } as unknown as MailStore;
  const said: string[] = [];
  const acts = createActs(store, (text) => said.push(text));
  const commands = commandsOf({ store, isReadOnly, acts, goOn: () => undefined, isOpen: true } as unknown as CommandDependencies);
  return {
    changes,
    said,
    acts,
    allowed: (mailboxId: string) =>
      commands
        .filter(
          (command) => /^(?:archive|delete|junk|notJunk|move|flag|read|unread)$/.test(command.id) && command.isAllowed({ emailIds: [mailboxId], mailboxId }),
        )
        .map(({ id }) => id),
    run: (id: string, mailboxId: string, emailIds = [mailboxId]) => commands.find((command) => command.id === id)!.run({ emailIds, mailboxId }),
  };
};

test.each<[string, Parameters<typeof start>, string, readonly string[]]>([
  ['the inbox', [], 'inbox', ['archive', 'delete', 'junk', 'move', 'flag', 'read']],
  ['the archive', [], 'archive', ['delete', 'junk', 'move', 'flag', 'read']],
  ['junk', [], 'junk', ['archive', 'delete', 'notJunk', 'move', 'flag', 'read']],
  ['trash', [], 'trash', ['archive', 'junk', 'move', 'flag', 'read']],
  ['the inbox, for a message that was read', [{}, { $seen: true }], 'inbox', ['archive', 'delete', 'junk', 'move', 'flag', 'unread']],
  ['a mailbox whose messages may not be removed', [{ inbox: { mayRemoveItems: false } }], 'inbox', ['flag', 'read']],
  ['the inbox, while nothing may be added to junk', [{ junk: { mayAddItems: false } }], 'inbox', ['archive', 'delete', 'move', 'flag', 'read']],
  ['a mailbox where only "read" may be set', [{ inbox: { mayRemoveItems: false, maySetKeywords: false } }], 'inbox', ['read']],
  ['an account to read only', [{}, {}, true], 'inbox', []],
])('in %s a person is offered what is allowed', (_, options, mailboxId, expected) => expect(start(...options).allowed(mailboxId)).toEqual(expected));

test.each<[string, string, Patch]>([
  ['archive', 'inbox', { 'mailboxIds/inbox': null, 'mailboxIds/archive': true }],
  ['delete', 'junk', { 'mailboxIds/junk': null, 'mailboxIds/trash': true }],
  ['junk', 'inbox', { 'mailboxIds/inbox': null, 'mailboxIds/junk': true, 'keywords/$junk': true, 'keywords/$notjunk': null }],
  ['notJunk', 'junk', { 'mailboxIds/junk': null, 'mailboxIds/inbox': true, 'keywords/$junk': null, 'keywords/$notjunk': true }],
  ['flag', 'inbox', { 'keywords/$flagged': true }],
])('%s in %s changes a message so, and is undone', (id, mailboxId, patch) => {
  const { run, changes, acts, said } = start();
  run(id, mailboxId);
  acts.undo();
  acts.undo();
  const before = Object.fromEntries(Object.keys(patch).map((path) => [path, path === `mailboxIds/${mailboxId}` ? true : null]));
  expect(changes).toEqual([[[mailboxId, patch]], [[mailboxId, before]]]);
  expect(said.slice(1)).toEqual(['Undone', 'There is nothing to undo']);
});

test('a move takes the messages in the shown mailbox alone', () => {
  const { run, changes } = start();
  run('archive', 'inbox', ['inbox', 'trash']);
  expect(changes.map((each) => each.map(([id]) => id))).toEqual([['inbox']]);
});
