import { useEffect, useRef, useState } from 'react';
import { useStore } from '../context/mail-context.ts';
import type { Id } from '../jmap/types.ts';
import { words } from '../words/words.ts';
import { MessageView } from './message-view.tsx';
import { openedFirst } from './opened-first.ts';

/** Milliseconds for which a conversation is open before its messages count as read. */
const readAfter = 400;

export type ConversationProps = { readonly threadId: Id; readonly isReadOnly: boolean };

/** A conversation: all its messages from all mailboxes, one's own replies too, oldest first. */
export const Conversation = ({ threadId, isReadOnly }: ConversationProps) => {
  const store = useStore();
  const heading = useRef<HTMLHeadingElement>(null);
  const [problem, setProblem] = useState('');
  const [chosen, setChosen] = useState<ReadonlyMap<Id, boolean>>(new Map());
  const [first, setFirst] = useState<ReadonlySet<Id> | undefined>();
  const [tries, setTries] = useState(0);
  const thread = store.thread(threadId);
  const emails = (thread?.emailIds ?? []).flatMap((id) => store.email(id) ?? []);
  const isKnown = thread !== undefined && emails.length === thread.emailIds.length;

  useEffect(() => {
    if (isKnown) return;
    store.loadThread(threadId).then(
      () => setProblem(store.thread(threadId) ? '' : words.notFound),
      (error: Error) => setProblem(words.failed(error.message)),
    );
  }, [store, threadId, isKnown, tries]);
  useEffect(() => {
    if (isKnown && !first) setFirst(openedFirst(emails));
  }, [isKnown, first, emails]);
  // On a phone the list, which had the focus, is not shown any more.
  useEffect(() => {
    if (isKnown && !document.activeElement?.matches(':not(body)')) heading.current?.focus();
  }, [isKnown]);
  const open = emails.filter(({ id }) => chosen.get(id) ?? first?.has(id) ?? false).map(({ id }) => id);
  const openIds = open.join(' ');
  useEffect(() => {
    if (openIds === '') return;
    store.loadBodies(openIds.split(' ')).catch((error: Error) => setProblem(words.failed(error.message)));
  }, [store, openIds, tries]);
  useEffect(() => {
    if (!first || isReadOnly) return undefined;
    const timer = setTimeout(() => {
      const mailboxes = store.mailboxes();
      const maySetSeen = (id: Id): boolean => mailboxes.every(({ id: mailboxId, myRights }) => myRights.maySetSeen || !store.email(id)?.mailboxIds[mailboxId]);
      const unread = [...first].filter((id) => !store.email(id)?.keywords['$seen'] && maySetSeen(id));
      if (unread.length > 0) void store.change(new Map(unread.map((id) => [id, { 'keywords/$seen': true }])));
    }, readAfter);
    return () => clearTimeout(timer);
  }, [store, first, isReadOnly]);

  const subject = emails.find((email) => email.subject)?.subject ?? words.noSubject;
  return (
    <section className="conversation" aria-label={words.conversation}>
      {problem && (
        <p role="alert" className="note">
          {problem}{' '}
          <button type="button" onClick={() => setTries(tries + 1)}>
            {words.again}
          </button>
        </p>
      )}
      {isKnown && (
        <h2 ref={heading} tabIndex={-1} dir="auto">
          {subject}
        </h2>
      )}
      {!isKnown && !problem && <p className="quiet">{words.loading}</p>}
      {emails.map((email) => (
        <MessageView
          key={email.id}
          email={email}
          body={store.body(email.id)}
          isOpen={open.includes(email.id)}
          onToggle={() => setChosen(new Map([...chosen, [email.id, !open.includes(email.id)]]))}
        />
      ))}
    </section>
  );
};
