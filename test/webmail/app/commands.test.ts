import { commandsOf, type CommandDependencies } from '../../../webmail/app/commands.ts';
import { setLabel } from '../../../webmail/app/label-acts.ts';
import type { CommandTarget } from '../../../webmail/app/targets.ts';
import { createActs } from '../../../webmail/context/acts.ts';
import type { Email, Mailbox, MailboxRights } from '../../../webmail/jmap/types.ts';
import type { MailStore } from '../../../webmail/store/mail-store.ts';
import type { MassChange } from '../../../webmail/store/mass-change.ts';
import type { Patch } from '../../../webmail/store/pending-changes.ts';

const allRights: MailboxRights = {
  mayReadItems: true,
  mayAddItems: true,
  mayRemoveItems: true,
  maySetSeen: true,
  maySetKeywords: true,
  mayCreateChild: true,
  mayRename: true,
  mayDelete: true,
};

const roles = ['inbox', 'archive', 'trash', 'junk', 'sent'];

const start = (rights: Partial<Record<string, Partial<MailboxRights>>> = {}, keywords: Record<string, boolean> = {}, isReadOnly = false) => {
  const mailboxes = roles.map((role) => ({
    id: role,
    role,
    name: role,
    parentId: null,
    sortOrder: 0,
    totalEmails: 1,
    myRights: { ...allRights, ...rights[role] },
  })) as unknown as Mailbox[];
  const emails = new Map(roles.map((role) => [role, { id: role, mailboxIds: { [role]: true }, keywords } as unknown as Email]));
  emails.set('both', { id: 'both', mailboxIds: { trash: true, archive: true }, keywords } as unknown as Email);
  const changes: [string, Patch][][] = [];
  const store = {
    mailboxes: () => mailboxes,
    email: (id: string) => emails.get(id),
    change: async (patches: ReadonlyMap<string, Patch>) => void changes.push([...patches]),
    async changeAll({ filter, patchOf }: MassChange) {
      const found = [...emails.values()].filter(({ mailboxIds }) => !('inMailbox' in filter) || mailboxIds[filter.inMailbox!]);
      const patches = found.flatMap((email) => (patchOf(email) ? [[email.id, patchOf(email)!] as [string, Patch]] : []));
      changes.push(patches);
      return { changed: patches.length, inverse: new Map(), refused: 0, reason: undefined };
    },
  } as unknown as MailStore;
  const said: string[] = [];
  const acts = createActs(({ text }) => said.push(text));
  const asked: string[] = [];
  const dependencies = {
    store,
    isReadOnly,
    acts,
    goOn: () => undefined,
    canGoBack: true,
    confirm(question: string, _: string, run: () => void) {
      asked.push(question);
      run();
    },
  } as unknown as CommandDependencies;
  const commands = commandsOf(dependencies);
  const targetOf = (mailboxId: string, emailIds = [mailboxId]): CommandTarget => ({ mailboxId, conversations: [{ emailIds, mailboxId }] });
  const allowedFor = (target: CommandTarget): readonly string[] =>
    commands
      .filter((command) => /^(?:archive|delete|deleteForever|junk|notJunk|move|flag|read|unread|label)$/.test(command.id) && command.isAllowed(target))
      .map(({ id }) => id);
  return {
    changes,
    said,
    asked,
    acts,
    dependencies,
    allowedFor,
    targetOf,
    allowed: (mailboxId: string) => allowedFor(targetOf(mailboxId)),
    runFor: (id: string, target: CommandTarget) => commands.find((command) => command.id === id)!.run(target),
    run: (id: string, mailboxId: string, emailIds = [mailboxId]) => commands.find((command) => command.id === id)!.run(targetOf(mailboxId, emailIds)),
  };
};

const everywhere = { filter: {}, isSearch: true } as const;

test.each<[string, Parameters<typeof start>, string, readonly string[]]>([
  ['the inbox', [], 'inbox', ['archive', 'delete', 'junk', 'move', 'flag', 'label', 'read']],
  ['the archive', [], 'archive', ['delete', 'junk', 'move', 'flag', 'label', 'read']],
  ['sent mail', [], 'sent', ['delete', 'junk', 'move', 'flag', 'label', 'read']],
  ['junk', [], 'junk', ['archive', 'delete', 'notJunk', 'move', 'flag', 'label', 'read']],
  ['trash', [], 'trash', ['archive', 'deleteForever', 'junk', 'move', 'flag', 'label', 'read']],
  ['the inbox, for a message that was read', [{}, { $seen: true }], 'inbox', ['archive', 'delete', 'junk', 'move', 'flag', 'label', 'unread']],
  ['a mailbox whose messages may not be removed', [{ inbox: { mayRemoveItems: false } }], 'inbox', ['flag', 'label', 'read']],
  ['trash whose messages may not be removed', [{ trash: { mayRemoveItems: false } }], 'trash', ['flag', 'label', 'read']],
  ['the inbox, while nothing may be added to junk', [{ junk: { mayAddItems: false } }], 'inbox', ['archive', 'delete', 'move', 'flag', 'label', 'read']],
  ['a mailbox where only "read" may be set', [{ inbox: { mayRemoveItems: false, maySetKeywords: false } }], 'inbox', ['read']],
  ['an account to read only', [{}, {}, true], 'inbox', []],
  ['the trash of an account to read only', [{}, {}, true], 'trash', []],
])('in %s a person is offered what is allowed', (_, options, mailboxId, expected) => expect(start(...options).allowed(mailboxId)).toEqual(expected));

test.each<[string, Parameters<typeof start>, CommandTarget, readonly string[]]>([
  [
    'all of the inbox',
    [],
    { mailboxId: 'inbox', conversations: [], all: { filter: { inMailbox: 'inbox' } } },
    ['archive', 'delete', 'junk', 'move', 'flag', 'label', 'read', 'unread'],
  ],
  [
    'all that a search found',
    [],
    { mailboxId: undefined, conversations: [], all: everywhere },
    ['archive', 'delete', 'junk', 'move', 'flag', 'label', 'read', 'unread'],
  ],
  ['all that a search found in an account to read only', [{}, {}, true], { mailboxId: undefined, conversations: [], all: everywhere }, []],
  ['nothing', [], { mailboxId: 'inbox', conversations: [] }, []],
  [
    'results of a search in several mailboxes',
    [{ inbox: { mayRemoveItems: false } }],
    {
      mailboxId: undefined,
      conversations: [
        { emailIds: ['inbox'], mailboxId: 'inbox' },
        { emailIds: ['archive'], mailboxId: 'archive' },
      ],
    },
    ['delete', 'junk', 'move', 'flag', 'label', 'read'],
  ],
])('for %s a person is offered what is allowed', (_, options, target, expected) => expect(start(...options).allowedFor(target)).toEqual(expected));

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

test('the archive takes search results from their mailboxes, but no sent mail, and leaves what may not be removed', () => {
  const { runFor, changes } = start({ junk: { mayRemoveItems: false } });
  runFor('archive', { mailboxId: undefined, conversations: roles.map((role) => ({ emailIds: [role], mailboxId: role })) });
  expect(changes).toEqual([
    [
      ['inbox', { 'mailboxIds/inbox': null, 'mailboxIds/archive': true }],
      ['trash', { 'mailboxIds/trash': null, 'mailboxIds/archive': true }],
    ],
  ]);
});

test('an act on all that a search found takes each from its mailbox, a message in two mailboxes from the one that is shown', () => {
  const { runFor, changes } = start();
  runFor('delete', { mailboxId: undefined, conversations: [], all: everywhere });
  expect(changes.map((each) => each.map(([id, patch]) => [id, Object.keys(patch)[0]]))).toEqual([
    [
      ['inbox', 'mailboxIds/inbox'],
      ['archive', 'mailboxIds/archive'],
      ['junk', 'mailboxIds/junk'],
      ['sent', 'mailboxIds/sent'],
      ['both', 'mailboxIds/archive'],
    ],
  ]);
});

test.each(['deleteForever', 'empty'])('%s asks first, and keeps what is in another mailbox too', (id) => {
  const { run, changes, asked, acts, said } = start();
  run(id, 'trash', ['trash', 'both', 'inbox']);
  expect(asked).toHaveLength(1);
  expect(changes).toEqual([
    [
      ['trash', { mailboxIds: {} }],
      ['both', { 'mailboxIds/trash': null }],
    ],
  ]);
  acts.undo();
  expect(said.at(-1)).not.toBe('');
});

test('a label is added to all messages of a conversation that lack it', () => {
  const { changes, dependencies, targetOf } = start();
  setLabel(dependencies, targetOf('inbox', ['inbox', 'archive']), { keyword: 'work', name: 'Work' }, true);
  expect(changes).toEqual([
    [
      ['inbox', { 'keywords/work': true }],
      ['archive', { 'keywords/work': true }],
    ],
  ]);
});
