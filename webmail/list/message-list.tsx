import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState, type UIEvent } from 'react';
import { useMail, useStore } from '../context/mail-context.ts';
import type { Id } from '../jmap/types.ts';
import type { ListQuery } from '../store/snapshot.ts';
import { rowWords, shortTime, words } from '../words/words.ts';
import { conversationRow, type ConversationRow } from './conversation-row.ts';
import { useReadAhead } from './read-ahead.ts';

/** The height of a row in pixels, in `app.css` too. */
const rowHeight = 76;

/** Rows that are mounted above and below what is visible. */
const overscan = 8;

/** The tallest element that browsers lay out rightly. A longer list is scaled. */
const maxListHeight = 15_000_000;

type RowProps = { readonly row: ConversationRow; readonly isActive: boolean; readonly isOpen: boolean; readonly onOpen: (row: ConversationRow) => void };

/** A paper clip: the message has attachments. */
const Clip = () => (
  <svg className="clip" viewBox="0 0 16 16" width="13" height="13">
    <path d="M5 6v5a3 3 0 0 0 6 0V4.5a2 2 0 0 0-4 0V11a1 1 0 0 0 2 0V6" fill="none" stroke="currentColor" strokeWidth="1.3" />
  </svg>
);

const RowContent = ({ row, isActive, isOpen, onOpen }: RowProps) => {
  const { newest, people, emails, isUnread, isFlagged } = row;
  const count = emails.length;
  return (
    <div
      role="gridcell"
      tabIndex={isActive ? 0 : -1}
      className={`row-content${isUnread ? ' is-unread' : ''}${isOpen ? ' is-open' : ''}`}
      aria-selected={isOpen}
      onClick={() => onOpen(row)}
    >
      <span className="visually-hidden">{rowWords({ isUnread, isFlagged, people, count, newest })}</span>
      <span className="row-top" aria-hidden="true">
        <bdi className="people">{people}</bdi>
        {count > 1 && <span className="count">{count}</span>}
        <time dateTime={newest.receivedAt}>{shortTime(newest.receivedAt)}</time>
      </span>
      <span className="subject" dir="auto" aria-hidden="true">
        {isFlagged && '★ '}
        {newest.subject || words.noSubject}
        {newest.hasAttachment && <Clip />}
      </span>
      <span className="preview" dir="auto" aria-hidden="true">
        {newest.preview}
      </span>
    </div>
  );
};

const Row = memo(
  RowContent,
  (one, other) =>
    one.isActive === other.isActive &&
    one.isOpen === other.isOpen &&
    one.row.newest === other.row.newest &&
    one.row.emails.length === other.row.emails.length &&
    one.row.isUnread === other.row.isUnread &&
    one.row.isFlagged === other.row.isFlagged &&
    one.row.people === other.row.people,
);

export type MessageListProps = {
  readonly query: ListQuery;
  readonly mailboxRole: string | null;
  readonly openThreadId: Id | undefined;
  readonly active: number;
  readonly onActive: (index: number) => void;
  readonly onOpen: (row: ConversationRow) => void;
};

/**
 * The conversations of a mailbox: a grid of rows of one height, of which those near the visible part are mounted. When rows
 * come or go above, what is visible stays where it is.
 */
export const MessageList = ({ query, mailboxRole, openThreadId, active, onActive, onOpen }: MessageListProps) => {
  const store = useStore();
  const { isOwn } = useMail();
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const { ids } = store.list(query);
  const version = store.version();
  // A conversation of thousands of messages is not read again for each step of the scrollbar.
  const rows = useMemo(() => new Map<Id, ConversationRow | undefined>(), [store, version, mailboxRole, isOwn]);
  const rowOf = (id: Id): ConversationRow | undefined => {
    if (!rows.has(id)) rows.set(id, conversationRow(store, id, mailboxRole, isOwn));
    return rows.get(id);
  };
  const total = ids.length;
  const height = Math.min(total * rowHeight, maxListHeight);
  // Above the tallest height, the scrollbar moves by more than what it shows.
  const scale = total * rowHeight > maxListHeight ? (total * rowHeight - view.height) / (maxListHeight - view.height) : 1;
  const offset = view.top * scale;
  const first = Math.max(0, Math.floor(offset / rowHeight) - overscan);
  const last = Math.min(total, Math.ceil((offset + view.height) / rowHeight) + overscan);

  useEffect(() => {
    const timer = setTimeout(() => void store.loadRange(query, first, last).catch(() => undefined), 60);
    return () => clearTimeout(timer);
  }, [store, query, first, last, ids]);

  // From the active row on, if it is visible: the next that is opened is most likely one of these.
  const [firstVisible, lastVisible] = [Math.floor(offset / rowHeight), Math.ceil((offset + view.height) / rowHeight)];
  const from = active >= firstVisible && active < lastVisible ? active : firstVisible;
  useReadAhead(store, ids.slice(from, lastVisible));

  // The first row that is visible keeps its place.
  const anchor = useRef<{ readonly id: Id; readonly index: number; readonly key: string } | undefined>(undefined);
  useLayoutEffect(() => {
    const known = anchor.current;
    const element = box.current;
    if (known && element && known.key === query.mailboxId && element.scrollTop > 0 && scale === 1) {
      const index = ids.indexOf(known.id);
      if (index >= 0 && index !== known.index) element.scrollTop += (index - known.index) * rowHeight;
    }
    const at = Math.floor(offset / rowHeight);
    const id = ids[at];
    anchor.current = id === undefined ? undefined : { id, index: at, key: query.mailboxId };
  }, [ids, query.mailboxId, offset, scale]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setView(({ top }) => ({ top, height: element.clientHeight })));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = box.current;
    if (!element || scale !== 1) return;
    const [top, bottom] = [active * rowHeight, (active + 1) * rowHeight];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    if (element.contains(document.activeElement))
      element.querySelector<HTMLElement>(`[aria-rowindex="${active + 1}"] [role="gridcell"]`)?.focus({ preventScroll: true });
  }, [active, scale]);

  // The row that had the focus may have left the list; the next one gets it.
  const hasFocus = useRef(false);
  useLayoutEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) {
      box.current?.querySelector<HTMLElement>(`[aria-rowindex="${active + 1}"] [role="gridcell"]`)?.focus({ preventScroll: true });
    }
  }, [ids, active]);

  // Back from a conversation, on a phone, nothing has the focus.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && openThreadId === undefined && document.activeElement === document.body) {
      box.current?.querySelector<HTMLElement>(`[aria-rowindex="${active + 1}"] [role="gridcell"]`)?.focus({ preventScroll: true });
    }
    wasOpen.current = openThreadId !== undefined;
  }, [openThreadId, active]);

  const onScroll = ({ currentTarget }: UIEvent<HTMLDivElement>): void => setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight });
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  if (active < total && (active < first || active >= last)) indexes.push(active);
  return (
    <div ref={box} className="message-list" {...(total > 0 && { role: 'grid', 'aria-label': words.messages, 'aria-rowcount': total })} onScroll={onScroll}>
      {total === 0 && <p className="empty">{store.isLoaded(query) ? words.emptyMailbox : words.loading}</p>}
      <div {...(total > 0 && { role: 'rowgroup' })} className="rows" style={{ height }}>
        {indexes.map((index) => {
          const id = ids[index];
          const row = id === undefined ? undefined : rowOf(id);
          const top = index * rowHeight - offset + view.top;
          return (
            <div
              key={row?.threadId ?? `at ${index}`}
              role="row"
              aria-rowindex={index + 1}
              className="row"
              style={{ transform: `translateY(${top}px)` }}
              onFocus={() => {
                hasFocus.current = true;
                onActive(index);
              }}
              onBlur={({ relatedTarget }) => {
                if (relatedTarget !== null) hasFocus.current = false;
              }}
            >
              {row ? (
                <Row row={row} isActive={index === active} isOpen={row.threadId === openThreadId} onOpen={onOpen} />
              ) : (
                <div role="gridcell" className="row-content is-loading" />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
};
