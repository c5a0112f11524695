import { useEffect, useLayoutEffect, useMemo, useRef, useState, type MouseEvent, type UIEvent } from 'react';
import { useLabels, useMail, useStore } from '../context/mail-context.ts';
import type { Email, Id } from '../jmap/types.ts';
import { keyOf, type ListQuery } from '../store/list-query.ts';
import { words } from '../words/words.ts';
import { conversationRow, type ConversationRow } from './conversation-row.ts';
import { useReadAhead } from './read-ahead.ts';
import { Row } from './row.tsx';
import { useSnippets } from './snippets.ts';
import { swipeListeners, type Swipes } from './swipe.ts';
import type { TickState } from './ticks.ts';

/** The height of a row in pixels, in `app.css` too. */
const rowHeight = 76;

/** Rows that are mounted above and below what is visible. */
const overscan = 8;

/** The tallest element that browsers lay out rightly. A longer list is scaled. */
const maxListHeight = 15_000_000;

/** Maximum rows that are loaded to tick all between two rows. */
const maxRange = 500;

export type MessageListProps = {
  readonly query: ListQuery;
  readonly mailboxRole: string | null;
  readonly openThreadId: Id | undefined;
  readonly active: number;
  readonly ticks: TickState;
  /** Pixels from the top at which the list begins, where a person comes back to it. */
  readonly top: number;
  /** The mailbox of a search result. Undefined where the list is a mailbox. */
  readonly placeOf: ((email: Email) => string | undefined) | undefined;
  readonly swipes: (row: ConversationRow) => Swipes;
  readonly onScrolled: (top: number) => void;
  readonly onActive: (index: number) => void;
  readonly onOpen: (row: ConversationRow) => void;
  /** Is called when a row is dragged, and with undefined when the drag ends. */
  readonly onDrag: (row: ConversationRow | undefined) => void;
  readonly onMenu: (row: ConversationRow, at: { readonly x: number; readonly y: number }) => void;
};

/**
 * The conversations of a mailbox: a grid of rows of one height, of which those near the visible part are mounted. When rows
 * come or go above, what is visible stays where it is.
 */
export const MessageList = (props: MessageListProps) => {
  const { query, mailboxRole, openThreadId, active, ticks, placeOf } = props;
  const store = useStore();
  const labels = useLabels();
  const key = keyOf(query);
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
  useSnippets(store, query, ids.slice(firstVisible, lastVisible));

  // The first row that is visible keeps its place.
  const anchor = useRef<{ readonly id: Id; readonly index: number; readonly key: string } | undefined>(undefined);
  useLayoutEffect(() => {
    const known = anchor.current;
    const element = box.current;
    if (known && element && known.key === key && element.scrollTop > 0 && scale === 1) {
      const index = ids.indexOf(known.id);
      if (index >= 0 && index !== known.index) element.scrollTop += (index - known.index) * rowHeight;
    }
    const at = Math.floor(offset / rowHeight);
    const id = ids[at];
    anchor.current = id === undefined ? undefined : { id, index: at, key };
  }, [ids, key, offset, scale]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setView(({ top }) => ({ top, height: element.clientHeight })));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const lastActive = useRef<Id | undefined>(undefined);
  useEffect(() => {
    const element = box.current;
    const isMoved = ids[active] !== undefined && ids[active] === lastActive.current;
    lastActive.current = ids[active];
    // A row that moved because others came or went does not move the list.
    if (!element || scale !== 1 || isMoved) return;
    const [top, bottom] = [active * rowHeight, (active + 1) * rowHeight];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    if (element.contains(document.activeElement))
      element.querySelector<HTMLElement>(`[aria-rowindex="${active + 1}"] .row-content`)?.focus({ preventScroll: true });
  }, [active, scale]);

  // The row that had the focus may have left the list; the next one gets it.
  const hasFocus = useRef(false);
  useLayoutEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) {
      box.current?.querySelector<HTMLElement>(`[aria-rowindex="${active + 1}"] .row-content`)?.focus({ preventScroll: true });
    }
  }, [ids, active]);

  // Back from a conversation, on a phone, nothing has the focus.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && openThreadId === undefined && document.activeElement === document.body) {
      box.current?.querySelector<HTMLElement>(`[aria-rowindex="${active + 1}"] .row-content`)?.focus({ preventScroll: true });
    }
    wasOpen.current = openThreadId !== undefined;
  }, [openThreadId, active]);

  // Back in a list, a person sees what was there before.
  const isPlaced = useRef(props.top === 0);
  useLayoutEffect(() => {
    const element = box.current;
    if (isPlaced.current || !element || total === 0) return;
    isPlaced.current = true;
    element.scrollTop = props.top;
  }, [total, props.top]);

  const onScroll = ({ currentTarget }: UIEvent<HTMLDivElement>): void => {
    setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight });
    props.onScrolled(currentTarget.scrollTop);
  };

  const loadedRows = (begin: number, end: number): readonly ConversationRow[] =>
    store
      .list(query)
      .ids.slice(begin, end)
      .flatMap((id) => (id === undefined ? [] : (conversationRow(store, id, mailboxRole, isOwn) ?? [])));
  const lastTicked = useRef(0);
  const tick = async (row: ConversationRow, isRange: boolean): Promise<void> => {
    const index = ids.indexOf(row.newest.id);
    const other = lastTicked.current;
    lastTicked.current = index;
    const asRow = ({ threadId, newest }: ConversationRow) => ({ threadId, emailId: newest.id });
    if (!isRange) return ticks.toggle(asRow(row));
    const [begin, end] = [Math.max(Math.min(index, other), index - maxRange), Math.min(Math.max(index, other), index + maxRange) + 1];
    if (ids.slice(begin, end).includes(undefined)) await store.loadRange(query, begin, end).catch(() => undefined);
    return ticks.tick(loadedRows(begin, end).map(asRow));
  };
  // Rows are shown again only when what they show has changed, so they call what is current.
  const current = useRef({ ...props, tick });
  useLayoutEffect(() => {
    current.current = { ...props, tick };
  });
  const stable = useMemo(
    () => ({
      open: (row: ConversationRow) => current.current.onOpen(row),
      tick: (row: ConversationRow, isRange: boolean) => void current.current.tick(row, isRange),
    }),
    [],
  );
  /** The row on which the mouse button went down: rows can move before the drag begins, which is then of another one. */
  const pressed = useRef<ConversationRow | undefined>(undefined);
  const touch = useRef<Parameters<typeof swipeListeners>[0]['current']>(undefined);
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  if (active < total && (active < first || active >= last)) indexes.push(active);
  return (
    <div
      ref={box}
      className="message-list"
      {...(total > 0 && { role: 'grid', 'aria-label': words.messages, 'aria-rowcount': total, 'aria-multiselectable': true })}
      onScroll={onScroll}
    >
      {total === 0 && <p className="empty">{!store.isLoaded(query) ? words.loading : query.isSearch ? words.nothingFound : words.emptyMailbox}</p>}
      <div {...(total > 0 && { role: 'rowgroup' })} className="rows" style={{ height }}>
        {indexes.map((index) => {
          const id = ids[index];
          const row = id === undefined ? undefined : rowOf(id);
          const top = index * rowHeight - offset + view.top;
          const isTicked = row !== undefined && (ticks.isAll || ticks.rows.has(row.threadId));
          return (
            <div
              key={row?.threadId ?? `at ${index}`}
              role="row"
              aria-rowindex={index + 1}
              className={isTicked ? 'row is-ticked' : 'row'}
              aria-selected={isTicked}
              style={{ transform: `translateY(${top}px)` }}
              draggable={row !== undefined}
              {...(row && {
                onMouseDown() {
                  pressed.current = row;
                },
                onDragStart({ dataTransfer }) {
                  dataTransfer.effectAllowed = 'move';
                  dataTransfer.setData('text/plain', '');
                  props.onDrag(pressed.current ?? row);
                },
                onDragEnd: () => props.onDrag(undefined),
                onContextMenu(event: MouseEvent<HTMLElement>) {
                  event.preventDefault();
                  const { left, top: rowTop } = event.currentTarget.getBoundingClientRect();
                  // The menu key has no place of its own.
                  props.onMenu(row, event.clientX > 0 ? { x: event.clientX, y: event.clientY } : { x: left + 40, y: rowTop + 20 });
                },
                ...swipeListeners(touch, () => props.swipes(row)),
              })}
              onFocus={() => {
                hasFocus.current = true;
                props.onActive(index);
              }}
              onBlur={({ relatedTarget }) => {
                if (relatedTarget !== null) hasFocus.current = false;
              }}
            >
              {row ? (
                <Row
                  row={row}
                  isActive={index === active}
                  isOpen={row.threadId === openThreadId}
                  isTicked={isTicked}
                  labels={labels}
                  place={placeOf?.(row.newest)}
                  snippet={query.isSearch && store.snippets.get(query, row.newest.id)}
                  onOpen={stable.open}
                  onTick={stable.tick}
                />
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
