import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { ComposerSlot } from '../compose/composer-slot.tsx';
import type { Said } from '../context/acts.ts';
import { hasSettings, useAllStores, useMail } from '../context/mail-context.ts';
import { areShortcutsOn } from '../context/preferences.ts';
import { go } from '../context/route.ts';
import type { Id } from '../jmap/types.ts';
import { MailboxNavigation } from '../mailboxes/mailbox-navigation.tsx';
import { mailboxName } from '../mailboxes/mailbox-tree.ts';
import { Conversation } from '../message/conversation.tsx';
import { print, save } from '../message/lazy-files.ts';
import { words } from '../words/words.ts';
import { createCommandOfKey } from './command-of-key.ts';
import { commandsOf, type Command, type CommandDependencies } from './commands.ts';
import { fileActs, fileCommands } from './file-commands.ts';
import { goOn, openRow, step, tickRows } from './list-navigation.ts';
import { ListPane } from './list-pane.tsx';
import { listTargets, type ListTargets } from './list-targets.ts';
import { mayMoveTo, moveToAny, type MoveToAccountDependencies } from './moves-between-accounts.ts';
import { OverlayLayer, useOverlays, type Overlays } from './overlays.tsx';
import { SaidBar } from './said-bar.tsx';
import { useShownList, type ShownList } from './shown-list.ts';
import type { CommandTarget } from './targets.ts';
import { MenuButton, messageActs, Toolbar } from './toolbar.tsx';
import { TopBar } from './top-bar.tsx';
import { writeCommands } from './write-commands.ts';

const conversationButtons = ['back', ...messageActs, 'newer', 'older'];

export type MailProps = { readonly connection: 'working' | 'waiting'; readonly said: Said };

const commandOfKey = createCommandOfKey();

/** Runs the command of a key that is pressed anywhere in the page. */
const useCommandKeys = (commands: readonly Command[], target: CommandTarget): void =>
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const command = commandOfKey(commands, event, target, areShortcutsOn());
      if (!command) return;
      event.preventDefault();
      command.run(target);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });

/** Shows the heading, and the number of unread messages in the person's own inbox, as the title of the window. */
const useTitle = (heading: string): void => {
  const unread =
    useMail()
      .accounts[0]!.store.mailboxes()
      .find(({ role }) => role === 'inbox')?.unreadEmails ?? 0;
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${heading}`;
  }, [unread, heading]);
};

/** Keeps the mailbox that was shown last, in which a search can look. */
const useLastMailbox = ({ mailbox, store, route }: ShownList) => {
  const lastId = useRef<Id | undefined>(undefined);
  useEffect(() => {
    if (mailbox) lastId.current = mailbox.id;
  }, [mailbox]);
  return { lastId, searched: mailbox ?? store.mailboxes().find(({ id }) => id === (route.mailboxId ?? lastId.current)) };
};

type Ways = Pick<CommandDependencies, 'goToMailbox' | 'goBack' | 'findMail'>;

/** Makes the commands, and what they use. */
const useCommands = (list: ShownList, { hasTicks }: ListTargets, ways: Ways, overlays: Overlays) => {
  const mail = useMail();
  const { account, copy, acts, composers } = mail;
  const { store, route, current, ticks } = list;
  const dependencies: CommandDependencies & MoveToAccountDependencies = {
    ...ways,
    ...overlays,
    store,
    account,
    copy,
    isReadOnly: account.isReadOnly,
    hasSettings: hasSettings(account),
    acts,
    goOn: (leaving) => goOn(list, leaving),
    canGoBack: route.threadId !== undefined || hasTicks || route.search !== undefined,
    goOlder: () => step(list, 1),
    goNewer: () => step(list, -1),
    openActive: () => route.threadId === undefined && openRow(list, current),
    tickActive() {
      const row = list.rowAt(current);
      if (row) ticks.toggle({ threadId: row.threadId, emailId: row.newest.id });
    },
    tick: (which) => tickRows(list, which),
    focusSearch: () => document.querySelector<HTMLElement>('input[type=search]')?.focus(),
  };
  const writing = writeCommands({ store, maySend: account.maySend, compose: (request) => composers.open(account.id, request) });
  const files = fileCommands(
    store,
    (emails) => void print(mail, emails),
    (emails) => void save(mail, emails),
  );
  return { dependencies, commands: [...commandsOf(dependencies), ...writing, ...files] };
};

type ReadingProps = Pick<ListTargets, 'open'> & Pick<Overlays, 'showMenu'> & { readonly threadId: Id | undefined; readonly commands: readonly Command[] };

const ReadingPane = ({ threadId, commands, open: target, showMenu }: ReadingProps) => {
  const { account } = useMail();
  return (
    <div className="reading-pane" role="region" aria-label={words.conversation}>
      {threadId === undefined ? (
        <p className="empty">{words.noMessage}</p>
      ) : (
        <>
          <Toolbar label={words.conversation} ids={conversationButtons} commands={commands} target={target}>
            <MenuButton label={words.printOrSave} onOpen={(at) => showMenu({ target, ids: fileActs, ...at })} />
          </Toolbar>
          <Conversation key={`${account.id} ${threadId}`} threadId={threadId} isReadOnly={account.isReadOnly} />
        </>
      )}
    </div>
  );
};

/** The mail of an account: mailboxes, the list, and the conversation that is open. */
export const Mail = ({ connection, said }: MailProps) => {
  useAllStores();
  const list = useShownList();
  const { mailbox, route, here, ticks } = list;
  const { account, composers } = useMail();
  const targets = listTargets(list);
  const overlays = useOverlays();
  const [hasMailboxes, setMailboxes] = useState(false);
  /** Not a state: a drag over a mailbox can come before the page is shown again. */
  const dragged = useRef<CommandTarget | undefined>(undefined);
  const { lastId, searched } = useLastMailbox(list);

  const goToMailbox = (mailboxId: Id, accountId: Id | undefined): void => {
    setMailboxes(false);
    list.begin();
    go({ accountId, mailboxId, threadId: undefined });
  };
  const ways = {
    goToMailbox: (mailboxId: Id) => goToMailbox(mailboxId, here.accountId),
    goBack() {
      if (route.threadId !== undefined) go(here);
      else if (targets.hasTicks) ticks.clear();
      else go({ ...here, mailboxId: lastId.current, search: undefined });
    },
    findMail: (text: string, isHere = false) =>
      go({ accountId: here.accountId, mailboxId: isHere ? searched?.id : undefined, search: text, threadId: undefined }),
  };
  const { commands, dependencies } = useCommands(list, targets, ways, overlays);
  useCommandKeys(commands, targets.hasTicks ? targets.ticked : targets.open);
  const isSearch = route.search !== undefined;
  const heading = isSearch ? words.results : mailbox ? mailboxName(mailbox) : words.appName;
  useTitle(heading);
  return (
    <div className={`mail${route.threadId === undefined ? '' : ' has-conversation'}${hasMailboxes ? ' has-mailboxes' : ''}`}>
      <TopBar
        heading={heading}
        list={list}
        searched={searched}
        onSearch={ways.findMail}
        hasMailboxes={hasMailboxes}
        onMailboxes={() => setMailboxes(!hasMailboxes)}
        onWrite={() => composers.open(account.id, { kind: 'new' })}
        onSettings={overlays.showSettings}
        onShortcuts={overlays.showShortcuts}
      />
      {connection === 'waiting' && (
        <p className="connection" role="status">
          {words.connecting}
        </p>
      )}
      <MailboxNavigation
        current={isSearch ? undefined : mailbox?.id}
        onChoose={goToMailbox}
        mayDrop={(to, inAccount) => dragged.current !== undefined && mayMoveTo(dependencies, dragged.current, to, inAccount)}
        onDrop={(to, inAccount) => {
          if (dragged.current) moveToAny(dependencies, dragged.current, to, inAccount);
          dragged.current = undefined;
        }}
        onRemoved={(id) => id === mailbox?.id && go({ ...here, mailboxId: undefined })}
      />
      <ListPane
        heading={heading}
        list={list}
        targets={targets}
        commands={commands}
        showMenu={overlays.showMenu}
        onSettings={overlays.showSettings}
        onDrag={(target) => {
          dragged.current = target;
        }}
      />
      <ReadingPane threadId={route.threadId} commands={commands} open={targets.open} showMenu={overlays.showMenu} />
      <SaidBar {...said} />
      <ComposerSlot />
      <OverlayLayer overlays={overlays} commands={commands} dependencies={dependencies} />
    </div>
  );
};
