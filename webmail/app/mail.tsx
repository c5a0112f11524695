import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ComposerSlot } from '../compose/composer-slot.tsx';
import type { Said } from '../context/acts.ts';
import { useAllStores, useLabels, useMail, useStore } from '../context/mail-context.ts';
import { areShortcutsOn } from '../context/preferences.ts';
import { go, keepPlace, placeOfHistory, useRoute, type Route } from '../context/route.ts';
import { ConfirmDialog, type Question } from '../dialogs/confirm-dialog.tsx';
import { Menu } from '../dialogs/menu.tsx';
import type { Email, Id } from '../jmap/types.ts';
import { LabelDialog } from '../labels/label-dialog.tsx';
import { conversationRow, type ConversationRow } from '../list/conversation-row.ts';
import { ListHead } from '../list/list-head.tsx';
import { MessageList } from '../list/message-list.tsx';
import type { Swipes } from '../list/swipe.ts';
import { useTicks } from '../list/ticks.ts';
import { MailboxNavigation } from '../mailboxes/mailbox-navigation.tsx';
import { mailboxName } from '../mailboxes/mailbox-tree.ts';
import { Conversation } from '../message/conversation.tsx';
import { knownPeople } from '../search/known-people.ts';
import { SearchBox } from '../search/search-box.tsx';
import { isOutside, keyOf } from '../store/list-query.ts';
import { emptyWindow } from '../store/query-window.ts';
import { words } from '../words/words.ts';
import { createCommandOfKey } from './command-of-key.ts';
import { commandsOf, type Ticks } from './commands.ts';
import { hasLabel, removeLabel, setLabel } from './label-acts.ts';
import { MoveDialog } from './move-dialog.tsx';
import { mayMoveTo, moveToAny } from './moves-between-accounts.ts';
import { SaidBar } from './said-bar.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { useShownList } from './shown-list.ts';
import { placeIn, type CommandTarget, type ShownConversation } from './targets.ts';
import { Toolbar } from './toolbar.tsx';
import { writeCommands } from './write-commands.ts';

/** The buttons above a conversation, above a list, and in the menu of a row. */
const acts = ['archive', 'delete', 'deleteForever', 'junk', 'notJunk', 'move', 'label', 'flag', 'read', 'unread'];
const conversationButtons = ['back', ...acts, 'newer', 'older'];
const listButtons = ['archive', 'delete', 'deleteForever', 'junk', 'notJunk', 'move'];

/** Loaded rows that one tick takes at most. */
const maxTicked = 500;

export type MailProps = { readonly connection: 'working' | 'waiting'; readonly said: Said };

/** A menu of commands at a place of the window, for a row or for what is ticked. */
type ShownMenu = { readonly target: CommandTarget; readonly ids: readonly string[]; readonly row?: ConversationRow; readonly x: number; readonly y: number };

/** The row that keys act on. It remains the same while others come and go; when it is gone, the next one has its place. */
type ActiveRow = { readonly index: number; readonly id: Id | undefined };

type Dialog = { readonly kind: 'shortcuts' } | { readonly kind: 'move' | 'labels'; readonly target: CommandTarget };

const commandOfKey = createCommandOfKey();

/** The mail of an account: mailboxes, the list, and the conversation that is open. */
export const Mail = ({ connection, said }: MailProps) => {
  const { session, accounts, account, isOwn, copy, acts: personActs, composers, signOut } = useMail();
  const store = useStore();
  useAllStores();
  const route = useRoute();
  const [active, setActiveRow] = useState<ActiveRow>(() => ({ index: placeOfHistory().active, id: undefined }));
  const [dialog, setDialog] = useState<Dialog | undefined>();
  const [question, setQuestion] = useState<Question | undefined>();
  const [menu, setMenu] = useState<ShownMenu | undefined>();
  /** Not a state: a drag over a mailbox can come before the page is shown again. */
  const dragged = useRef<CommandTarget | undefined>(undefined);
  const [hasMailboxes, setMailboxes] = useState(false);
  /** How often a list was chosen: it begins at the top, also when it is the one that is shown. */
  const [visits, setVisits] = useState(0);
  const [problem, setProblem] = useState('');
  const [tries, setTries] = useState(0);
  const mailboxes = store.mailboxes();
  const labels = useLabels();
  const { query, mailbox, problems } = useShownList(route, mailboxes, labels);
  const listKey = `${account.id} ${query ? keyOf(query) : ''}`;
  const ticks = useTicks(listKey);
  const list = query ? store.list(query) : emptyWindow;
  const { ids } = list;
  const isSearch = route.search !== undefined;

  useEffect(() => {
    if (query ? store.isLoaded(query) : mailboxes.length > 0) return;
    store.open(query).then(
      () => setProblem(''),
      (error: Error) => setProblem(words.failed(error.message)),
    );
  }, [store, query, tries]);
  const place = useMemo(placeOfHistory, [listKey, visits]);
  useEffect(() => setActiveRow({ index: place.active, id: undefined }), [place]);

  const here: Route = { accountId: account.pathId, mailboxId: isSearch ? route.mailboxId : mailbox?.id, search: route.search, threadId: undefined };
  const placeOf = placeIn(mailboxes);
  const nameOfPlace = (email: Email): string | undefined => {
    const found = placeOf(email);
    return found && mailboxName(found);
  };
  const rowAt = (index: number): ConversationRow | undefined => {
    const id = ids[index];
    return id === undefined ? undefined : conversationRow(store, id, mailbox?.role ?? null, isOwn);
  };
  const openIndex = route.threadId === undefined ? -1 : ids.findIndex((id) => id !== undefined && store.email(id)?.threadId === route.threadId);
  const activeIndex = active.id === undefined ? -1 : ids.indexOf(active.id);
  const current = openIndex >= 0 ? openIndex : Math.min(activeIndex >= 0 ? activeIndex : active.index, Math.max(0, ids.length - 1));
  const setActive = (index: number): void => setActiveRow({ index, id: ids[index] });
  useLayoutEffect(() => {
    if (ids.length === 0) return;
    keepPlace({ active: current });
    if (active.index !== current || active.id !== ids[current]) setActive(current);
  });

  const conversationOf = (threadId: Id, emailId: Id | undefined): ShownConversation => {
    const email = emailId === undefined ? undefined : store.email(emailId);
    const emailIds = store.thread(threadId)?.emailIds ?? (emailId === undefined ? [] : [emailId]);
    return { emailIds, mailboxId: mailbox?.id ?? (email && placeOf(email)?.id) };
  };
  const rowTarget = ({ threadId, newest }: ConversationRow): CommandTarget => ({
    mailboxId: mailbox?.id,
    conversations: [conversationOf(threadId, newest.id)],
  });
  const isListed = (id: Id): boolean => {
    const email = store.email(id);
    return email !== undefined && query !== undefined && !isOutside(query, email);
  };
  // Somebody else may have moved away what is ticked.
  const ticked = [...ticks.rows].map(([threadId, emailId]) => conversationOf(threadId, emailId)).filter(({ emailIds }) => emailIds.some(isListed));
  const hasTicks = ticks.isAll || ticked.length > 0;
  const tickedTarget: CommandTarget = { mailboxId: mailbox?.id, conversations: ticked, all: ticks.isAll ? query : undefined };
  const currentRow = rowAt(current);
  const openThread = route.threadId === undefined ? undefined : store.thread(route.threadId);
  const openConversations = (): readonly ShownConversation[] => {
    // Keys act on nothing while a conversation is open whose messages are not known.
    if (route.threadId !== undefined && openIndex < 0) return openThread ? [conversationOf(openThread.id, openThread.emailIds.at(-1))] : [];
    return currentRow ? [conversationOf(currentRow.threadId, currentRow.newest.id)] : [];
  };
  const openTarget: CommandTarget = { mailboxId: mailbox?.id, conversations: openConversations() };
  const target = hasTicks ? tickedTarget : openTarget;
  const targetOf = (row: ConversationRow): CommandTarget => (ticks.isAll || ticks.rows.has(row.threadId) ? tickedTarget : rowTarget(row));

  const openRow = (index: number): void => {
    const row = rowAt(index);
    setActive(index);
    if (row) go({ ...here, threadId: row.threadId });
  };
  const step = (by: number): void => {
    // The open conversation may have left the list: the next one stands at its place.
    const hasLeft = route.threadId !== undefined && openIndex < 0;
    const next = Math.min(Math.max(0, hasLeft && by > 0 ? current : current + by), ids.length - 1);
    if (next < 0) return;
    setActive(next);
    if (route.threadId !== undefined) openRow(next);
  };
  /** The older conversation, or the newer one at the end of the list, takes the place of the open one that leaves it. */
  const goOn = (leaving: CommandTarget): void => {
    const isTicked = leaving.conversations.some(({ emailIds }) => emailIds.some((id) => ticks.rows.has(store.email(id)?.threadId ?? '')));
    if (leaving.all || isTicked) ticks.clear();
    if (route.threadId === undefined || openIndex < 0) return;
    const isOpen =
      leaving.all !== undefined || leaving.conversations.some(({ emailIds }) => emailIds.some((id) => store.email(id)?.threadId === route.threadId));
    if (!isOpen) return;
    const next = leaving.all || leaving.conversations.length > 1 ? undefined : (rowAt(current + 1) ?? rowAt(current - 1));
    go({ ...here, threadId: next?.threadId }, true);
  };
  /** The mailbox in which a search can look: the one that was shown last. */
  const lastMailbox = useRef<Id | undefined>(undefined);
  useEffect(() => {
    if (mailbox) lastMailbox.current = mailbox.id;
  }, [mailbox]);
  const searched = mailbox ?? mailboxes.find(({ id }) => id === (route.mailboxId ?? lastMailbox.current));
  const findMail = (text: string, isHere = false): void =>
    go({ accountId: here.accountId, mailboxId: isHere ? searched?.id : undefined, search: text, threadId: undefined });
  const people = useMemo(() => knownPeople(store, ids), [store, ids]);

  const tickRows = (which: Ticks): void => {
    if (which === 'none') return ticks.clear();
    const rows = ids.slice(0, maxTicked).flatMap((_, index) => rowAt(index) ?? []);
    const chosen = rows.filter(({ isUnread, isFlagged }) => ({ all: true, read: !isUnread, unread: isUnread, flagged: isFlagged })[which]);
    return ticks.tick(
      chosen.map(({ threadId, newest }) => ({ threadId, emailId: newest.id })),
      true,
    );
  };
  const goBack = (): void => {
    if (route.threadId !== undefined) go(here);
    else if (hasTicks) ticks.clear();
    else go({ ...here, mailboxId: lastMailbox.current, search: undefined });
  };
  const goToMailbox = (mailboxId: Id, accountId: Id | undefined): void => {
    setMailboxes(false);
    setVisits(visits + 1);
    setActiveRow({ index: 0, id: undefined });
    go({ accountId, mailboxId, threadId: undefined });
  };

  const dependencies = {
    store,
    account,
    copy,
    isReadOnly: account.isReadOnly,
    acts: personActs,
    goOn,
    canGoBack: route.threadId !== undefined || hasTicks || isSearch,
    goOlder: () => step(1),
    goNewer: () => step(-1),
    goToMailbox: (mailboxId: Id) => goToMailbox(mailboxId, here.accountId),
    openActive: () => route.threadId === undefined && openRow(current),
    tickActive: () => currentRow && ticks.toggle({ threadId: currentRow.threadId, emailId: currentRow.newest.id }),
    tick: tickRows,
    goBack,
    showMove: (moved: CommandTarget) => setDialog({ kind: 'move', target: moved }),
    showLabels: (labelled: CommandTarget) => setDialog({ kind: 'labels', target: labelled }),
    showShortcuts: () => setDialog({ kind: 'shortcuts' }),
    focusSearch: () => document.querySelector<HTMLElement>('input[type=search]')?.focus(),
    findMail,
    confirm: (text: string, yes: string, run: () => void) => setQuestion({ question: text, yes, run }),
  };
  const commands = [
    ...commandsOf(dependencies),
    ...writeCommands({ store, maySend: account.maySend, compose: (request) => composers.open(account.id, request) }),
  ];
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

  const heading = isSearch ? words.results : mailbox ? mailboxName(mailbox) : words.appName;
  const unread = accounts[0]!.store.mailboxes().find(({ role }) => role === 'inbox')?.unreadEmails ?? 0;
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${heading}`;
  }, [unread, heading]);

  const command = (id: string) => commands.find((each) => each.id === id)!;
  const swipesOf = (row: ConversationRow): Swipes => {
    const swipe = (...names: readonly string[]) => {
      const found = names.map(command).find((each) => each.isAllowed(targetOf(row)));
      return found && { label: found.label, run: () => found.run(targetOf(row)) };
    };
    return { right: swipe('archive', 'notJunk'), left: swipe('delete', 'deleteForever') };
  };
  const listTarget: CommandTarget = { mailboxId: mailbox?.id, conversations: [] };
  return (
    <div className={`mail${route.threadId === undefined ? '' : ' has-conversation'}${hasMailboxes ? ' has-mailboxes' : ''}`}>
      <header className="top-bar">
        <button type="button" className="menu" aria-expanded={hasMailboxes} aria-label={words.showMailboxes} onClick={() => setMailboxes(!hasMailboxes)}>
          ☰
        </button>
        <h1>{heading}</h1>
        {account.maySend && (
          <button type="button" onClick={() => command('write').run(openTarget)}>
            {command('write').label}
          </button>
        )}
        <SearchBox
          text={route.search ?? ''}
          isHere={isSearch && route.mailboxId !== undefined}
          mailboxName={searched && mailboxName(searched)}
          mailboxes={mailboxes}
          labels={labels}
          people={people}
          problems={problems}
          isSearching={isSearch && problem === '' && !(query && store.isLoaded(query))}
          onSearch={findMail}
          onEnd={() => isSearch && go({ ...here, mailboxId: searched?.id, search: undefined })}
        />
        <span className="account">
          <bdi>{session.username}</bdi>
        </span>
        <button type="button" aria-label={words.shortcuts} onClick={() => setDialog({ kind: 'shortcuts' })}>
          ?
        </button>
        <button type="button" onClick={signOut}>
          {words.signOut}
        </button>
      </header>
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
      <main className="list-pane" aria-label={heading}>
        {problem && (
          <p role="alert" className="note">
            {problem}{' '}
            <button type="button" onClick={() => setTries(tries + 1)}>
              {words.again}
            </button>
          </p>
        )}
        <ListHead
          count={ticked.length}
          isAll={ticks.isAll}
          total={ids.length}
          onTickAll={problems.length === 0 ? ticks.tickAll : undefined}
          onTickRows={() => tickRows('all')}
          onClear={ticks.clear}
        >
          {hasTicks ? (
            <Toolbar label={words.actsOnTicked} ids={listButtons} commands={commands} target={tickedTarget}>
              <button
                type="button"
                aria-haspopup="menu"
                onClick={({ currentTarget }) => {
                  const { left, bottom } = currentTarget.getBoundingClientRect();
                  setMenu({ target: tickedTarget, ids: acts.filter((id) => !listButtons.includes(id)), x: left, y: bottom });
                }}
              >
                {words.more}
              </button>
            </Toolbar>
          ) : (
            command('empty').isAllowed(listTarget) && <Toolbar label={words.actsOnList} ids={['empty']} commands={commands} target={listTarget} />
          )}
        </ListHead>
        {query && (
          <MessageList
            key={`${listKey} ${visits}`}
            query={query}
            mailboxRole={mailbox?.role ?? null}
            openThreadId={route.threadId}
            active={current}
            ticks={ticks}
            top={place.top}
            placeOf={isSearch ? nameOfPlace : undefined}
            swipes={swipesOf}
            onScrolled={(top) => keepPlace({ top })}
            onActive={setActive}
            onOpen={({ threadId }) => go({ ...here, threadId })}
            onDrag={(row) => {
              dragged.current = row && targetOf(row);
            }}
            onMenu={(row, at) => setMenu({ row, target: targetOf(row), ids: acts, ...at })}
          />
        )}
      </main>
      <div className="reading-pane" role="region" aria-label={words.conversation}>
        {route.threadId === undefined ? (
          <p className="empty">{words.noMessage}</p>
        ) : (
          <>
            <Toolbar label={words.conversation} ids={conversationButtons} commands={commands} target={openTarget} />
            <Conversation key={`${account.id} ${route.threadId}`} threadId={route.threadId} isReadOnly={account.isReadOnly} />
          </>
        )}
      </div>
      <SaidBar {...said} />
      <ComposerSlot />
      {menu && (
        <Menu
          at={menu}
          items={[
            ...(menu.row ? [{ id: 'open', label: words.open, run: () => go({ ...here, threadId: menu.row!.threadId }) }] : []),
            ...menu.ids
              .map(command)
              .filter((each) => each.isAllowed(menu.target))
              .map((each) => ({ id: each.id, label: each.label, run: () => each.run(menu.target) })),
          ]}
          onClose={() => setMenu(undefined)}
        />
      )}
      {dialog?.kind === 'move' && (
        <MoveDialog
          accounts={[account, ...accounts.filter((each) => each !== account)]}
          isAllowed={(...to) => mayMoveTo(dependencies, dialog.target, ...to)}
          onChoose={(...to) => moveToAny(dependencies, dialog.target, ...to)}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.kind === 'labels' && (
        <LabelDialog
          labels={account.labels}
          stateOf={(label) => hasLabel(store, dialog.target, label)}
          onSet={(label, isOn) => setLabel(dependencies, dialog.target, label, isOn)}
          onRemove={(label) =>
            setQuestion({ question: words.askRemoveLabel(label.name), yes: words.removeMailbox, run: () => void removeLabel(account, personActs, label) })
          }
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.kind === 'shortcuts' && <ShortcutsDialog commands={commands} onClose={() => setDialog(undefined)} />}
      {question && <ConfirmDialog {...question} onClose={() => setQuestion(undefined)} />}
    </div>
  );
};
