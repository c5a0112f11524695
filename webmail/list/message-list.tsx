import { useEffect, useLayoutEffect, useMemo, useRef, useState, type DragEvent, type MouseEvent, type RefObject, type UIEvent } from 'react';
import { useLabels, useMail, useStore } from '../context/mail-context.ts';
import type { Email, Id } from '../jmap/types.ts';
import { keyOf, type ListQuery } from '../store/list-query.ts';
import type { MailStore } from '../store/mail-store.ts';
import { words } from '../words/words.ts';
import { conversationRow, type ConversationRow } from './conversation-row.ts';
import { listGeometry, mountedRows, rowHeight } from './list-geometry.ts';
import { useReadAhead } from './read-ahead.ts';
import { useFocusAfterClose, useKeptFocus } from './row-focus.ts';
import { Row } from './row.tsx';
import { useActiveInView, useAnchor, useFirstPlace } from './scroll-place.ts';
import { useSnippets } from './snippets.ts';
import { swipeListeners, type Swipes } from './swipe.ts';
import type { TickState } from './ticks.ts';

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

type RowReader = (id: Id) => ConversationRow | undefined;

/** Makes what ticks a row, or all rows between it and the one that was ticked before. */
const useRangeTick = (store: MailStore, query: ListQuery, ids: readonly (Id | undefined)[], ticks: TickState, readRow: RowReader) => {
  const lastTicked = useRef(0);
  return async (row: ConversationRow, isRange: boolean): Promise<void> => {
    const index = ids.indexOf(row.newest.id);
    const other = lastTicked.current;
    lastTicked.current = index;
    const asRow = ({ threadId, newest }: ConversationRow) => ({ threadId, emailId: newest.id });
    if (!isRange) return ticks.toggle(asRow(row));
    const [begin, end] = [Math.max(Math.min(index, other), index - maxRange), Math.min(Math.max(index, other), index + maxRange) + 1];
    if (ids.slice(begin, end).includes(undefined)) await store.loadRange(query, begin, end).catch(() => undefined);
    const loaded = store.list(query).ids.slice(begin, end);
    return ticks.tick(loaded.flatMap((id) => (id === undefined ? [] : (readRow(id) ?? []))).map(asRow));
  };
};

type RowActs = { readonly open: (row: ConversationRow) => void; readonly tick: (row: ConversationRow, isRange: boolean) => Promise<void> };

/** Makes callbacks that remain the same and call what is current: rows are shown again only when what they show has changed. */
const useStableActs = (acts: RowActs) => {
  const current = useRef(acts);
  useLayoutEffect(() => {
    current.current = acts;
  });
  return useMemo(
    () => ({
      open: (row: ConversationRow) => current.current.open(row),
      tick: (row: ConversationRow, isRange: boolean) => void current.current.tick(row, isRange),
    }),
    [],
  );
};

/**
 * Makes the listeners of a row that is dragged, and of its menu.
 * @param pressed the row on which the mouse button went down: rows can move before the drag begins, which is then of another one.
 */
const mouseListeners = (row: ConversationRow, pressed: RefObject<ConversationRow | undefined>, { onDrag, onMenu }: MessageListProps) => ({
  onMouseDown() {
    pressed.current = row;
  },
  onDragStart({ dataTransfer }: DragEvent<HTMLElement>) {
    dataTransfer.effectAllowed = 'move';
    dataTransfer.setData('text/plain', '');
    onDrag(pressed.current ?? row);
  },
  onDragEnd: () => onDrag(undefined),
  onContextMenu(event: MouseEvent<HTMLElement>) {
    event.preventDefault();
    const { left, top } = event.currentTarget.getBoundingClientRect();
    // The menu key has no place of its own.
    onMenu(row, event.clientX > 0 ? { x: event.clientX, y: event.clientY } : { x: left + 40, y: top + 20 });
  },
});

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
  const readRow = (id: Id): ConversationRow | undefined => conversationRow(store, id, mailboxRole, isOwn);
  const rowOf = (id: Id): ConversationRow | undefined => {
    if (!rows.has(id)) rows.set(id, readRow(id));
    return rows.get(id);
  };
  const total = ids.length;
  const { height, scale, offset, firstVisible, lastVisible, first, last } = listGeometry(total, view);

  useEffect(() => {
    const timer = setTimeout(() => void store.loadRange(query, first, last).catch(() => undefined), 60);
    return () => clearTimeout(timer);
  }, [store, query, first, last, ids]);

  // From the active row on, if it is visible: the next that is opened is most likely one of these.
  const from = active >= firstVisible && active < lastVisible ? active : firstVisible;
  useReadAhead(store, ids.slice(from, lastVisible));
  useSnippets(store, query, ids.slice(firstVisible, lastVisible));

  useAnchor(box, ids, key, offset, scale);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setView(({ top }) => ({ top, height: element.clientHeight })));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useActiveInView(box, ids, active, scale);
  const hasFocus = useKeptFocus(box, ids, active);
  useFocusAfterClose(box, openThreadId, active);
  useFirstPlace(box, props.top, total);

  const onScroll = ({ currentTarget }: UIEvent<HTMLDivElement>): void => {
    setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight });
    props.onScrolled(currentTarget.scrollTop);
  };

  const tick = useRangeTick(store, query, ids, ticks, readRow);
  const stable = useStableActs({ open: props.onOpen, tick });
  const pressed = useRef<ConversationRow | undefined>(undefined);
  const touch = useRef<Parameters<typeof swipeListeners>[0]['current']>(undefined);
  return (
    <div
      ref={box}
      className="message-list"
      {...(total > 0 && { role: 'grid', 'aria-label': words.messages, 'aria-rowcount': total, 'aria-multiselectable': true })}
      onScroll={onScroll}
    >
      {total === 0 && <p className="empty">{!store.isLoaded(query) ? words.loading : query.isSearch ? words.nothingFound : words.emptyMailbox}</p>}
      <div {...(total > 0 && { role: 'rowgroup' })} className="rows" style={{ height }}>
        {mountedRows(first, last, active, total).map((index) => {
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
              {...(row && { ...mouseListeners(row, pressed, props), ...swipeListeners(touch, () => props.swipes(row)) })}
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
