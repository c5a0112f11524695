import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useMail, useStore } from '../context/mail-context.ts';
import { areShortcutsOn, setShortcutsOn } from '../context/preferences.ts';
import { go, useRoute } from '../context/route.ts';
import { conversationRow, type ConversationRow } from '../list/conversation-row.ts';
import { MessageList } from '../list/message-list.tsx';
import { MailboxNavigation } from '../mailboxes/mailbox-navigation.tsx';
import { mailboxName } from '../mailboxes/mailbox-tree.ts';
import { Conversation } from '../message/conversation.tsx';
import { words } from '../words/words.ts';
import { commandOf } from './command-of-key.ts';
import { commandsOf, mayMove, moveTo, type Command } from './commands.ts';
import { MoveDialog } from './move-dialog.tsx';

const keyNames: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', I: 'Shift+i', U: 'Shift+u' };

/** The buttons above a conversation. */
const toolbar = ['back', 'archive', 'delete', 'junk', 'notJunk', 'move', 'flag', 'read', 'unread', 'newer', 'older'];
/** Those of them that stand aside for another one where they are not allowed. */
const alternatives: ReadonlySet<string> = new Set(['junk', 'notJunk']);

const Shortcuts = ({ commands, onClose }: { readonly commands: readonly Command[]; readonly onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOn, setOn] = useState(areShortcutsOn);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={words.shortcuts} onClose={onClose}>
      <h2>{words.shortcuts}</h2>
      <label>
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            setShortcutsOn(target.checked);
            setOn(target.checked);
          }}
        />{' '}
        {words.shortcutsOn}
      </label>
      <dl className="shortcuts">
        {commands.map(({ id, label, keys }) => (
          <div key={id}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{keyNames[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        {words.close}
      </button>
    </dialog>
  );
};

/** What was said last, and what undoes it. */
export type Said = { readonly text: string; readonly undo?: () => void };

export type MailProps = { readonly connection: 'working' | 'waiting'; readonly said: Said };

/** The mail of an account: mailboxes, the list, and the conversation that is open. */
export const Mail = ({ connection, said }: MailProps) => {
  const { session, accountId, isOwn, acts, signOut } = useMail();
  const store = useStore();
  const route = useRoute();
  const [active, setActive] = useState(0);
  const [hasShortcuts, setShortcuts] = useState(false);
  const [isMoving, setMoving] = useState(false);
  const [hasMailboxes, setMailboxes] = useState(false);
  /** How often a mailbox was chosen: its list begins at the top, also when it is the one that is shown. */
  const [visits, setVisits] = useState(0);
  const [problem, setProblem] = useState('');
  const [tries, setTries] = useState(0);
  const mailboxes = store.mailboxes();
  const inbox = mailboxes.find(({ role }) => role === 'inbox') ?? mailboxes[0];
  const mailboxId = route.mailboxId ?? inbox?.id;
  const mailbox = mailboxes.find(({ id }) => id === mailboxId);
  const query = useMemo(() => ({ mailboxId: mailboxId ?? '' }), [mailboxId]);
  const isReadOnly = session.accounts[accountId]?.isReadOnly ?? false;

  useEffect(() => {
    if (mailboxId === undefined ? mailboxes.length > 0 : store.isLoaded(query)) return;
    store.open(mailboxId === undefined ? undefined : query).then(
      () => setProblem(''),
      (error: Error) => setProblem(words.failed(error.message)),
    );
  }, [store, query, mailboxId, tries]);
  useEffect(() => setActive(0), [mailboxId]);

  const { ids } = store.list(query);
  const openIndex = route.threadId === undefined ? -1 : ids.findIndex((id) => id !== undefined && store.email(id)?.threadId === route.threadId);
  const current = openIndex >= 0 ? openIndex : Math.min(active, Math.max(0, ids.length - 1));
  const rowAt = (index: number): ConversationRow | undefined => {
    const id = ids[index];
    return id === undefined ? undefined : conversationRow(store, id, mailbox?.role ?? null, isOwn);
  };
  const openRow = (index: number): void => {
    const row = rowAt(index);
    setActive(index);
    if (row) go({ mailboxId, threadId: row.threadId });
  };
  const step = (by: number): void => {
    const next = Math.min(Math.max(0, current + by), ids.length - 1);
    if (next < 0) return;
    setActive(next);
    if (route.threadId !== undefined) openRow(next);
  };
  const emailIds = rowAt(current)?.emails.map(({ id }) => id) ?? [];
  const isListActive = route.threadId === undefined && ids.length > 0;
  const target = { mailboxId, emailIds: route.threadId === undefined || openIndex >= 0 ? emailIds : (store.thread(route.threadId)?.emailIds ?? []) };
  /** The older conversation, or the newer one at the end of the list, takes the place of one that leaves it. */
  const goOn = (): void => {
    if (route.threadId === undefined) return;
    const next = rowAt(current + 1) ?? rowAt(current - 1);
    if (openIndex >= 0) go({ mailboxId, threadId: next?.threadId }, true);
  };
  const dependencies = {
    store,
    isReadOnly,
    acts,
    goOn,
    isOpen: route.threadId !== undefined,
    goOlder: () => step(1),
    goNewer: () => step(-1),
    openActive: () => isListActive && openRow(current),
    goBack: () => go({ mailboxId, threadId: undefined }),
    showMove: () => setMoving(true),
    showShortcuts: () => setShortcuts(true),
  };
  const commands = commandsOf(dependencies);

  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const command = commandOf(commands, event, target, areShortcutsOn());
      if (!command) return;
      event.preventDefault();
      command.run(target);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });

  const unread = inbox?.unreadEmails ?? 0;
  useEffect(() => {
    document.title = `${unread > 0 ? `(${unread}) ` : ''}${mailbox ? mailboxName(mailbox) : words.appName}`;
  }, [unread, mailbox]);

  const button = (id: string) => {
    const command = commands.find((each) => each.id === id)!;
    if (alternatives.has(id) && !command.isAllowed(target)) return null;
    return (
      <button type="button" disabled={!command.isAllowed(target)} onClick={() => command.run(target)}>
        {command.label}
      </button>
    );
  };
  return (
    <div className={`mail${route.threadId === undefined ? '' : ' has-conversation'}${hasMailboxes ? ' has-mailboxes' : ''}`}>
      <header className="top-bar">
        <button type="button" className="menu" aria-expanded={hasMailboxes} aria-label={words.showMailboxes} onClick={() => setMailboxes(!hasMailboxes)}>
          ☰
        </button>
        <h1>{mailbox ? mailboxName(mailbox) : words.appName}</h1>
        <span className="account">
          <bdi>{session.username}</bdi>
        </span>
        <button type="button" aria-label={words.shortcuts} onClick={() => setShortcuts(true)}>
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
        current={mailboxId}
        onChoose={(id) => {
          setMailboxes(false);
          setVisits(visits + 1);
          setActive(0);
          go({ mailboxId: id, threadId: undefined });
        }}
      />
      <main className="list-pane" aria-label={mailbox ? mailboxName(mailbox) : words.messages}>
        {problem && (
          <p role="alert" className="note">
            {problem}{' '}
            <button type="button" onClick={() => setTries(tries + 1)}>
              {words.again}
            </button>
          </p>
        )}
        <MessageList
          key={`${query.mailboxId} ${visits}`}
          query={query}
          mailboxRole={mailbox?.role ?? null}
          openThreadId={route.threadId}
          active={current}
          onActive={setActive}
          onOpen={({ threadId }) => go({ mailboxId, threadId })}
        />
      </main>
      <div className="reading-pane" role="region" aria-label={words.conversation}>
        {route.threadId === undefined ? (
          <p className="empty">{words.noMessage}</p>
        ) : (
          <>
            <div className="toolbar" role="toolbar" aria-label={words.conversation}>
              {toolbar.map((id) => (
                <span key={id}>{button(id)}</span>
              ))}
            </div>
            <Conversation key={route.threadId} threadId={route.threadId} isReadOnly={isReadOnly} />
          </>
        )}
      </div>
      <div className="said" role="status" aria-live="polite">
        {said.text}
        {said.undo && (
          <button type="button" onClick={said.undo}>
            {words.undo}
          </button>
        )}
      </div>
      {isMoving && (
        <MoveDialog
          mailboxes={mailboxes}
          isAllowed={(to) => mayMove(dependencies, target, to)}
          onChoose={(to) => moveTo(dependencies, target, to)}
          onClose={() => setMoving(false)}
        />
      )}
      {hasShortcuts && <Shortcuts commands={commands} onClose={() => setShortcuts(false)} />}
    </div>
  );
};
