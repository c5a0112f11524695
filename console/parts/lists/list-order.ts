import { useEffect, useRef, useState } from 'react';
import { searchedText, typingPause } from '../../api/use-list.ts';
import { useUrlParameters } from '../../page/url-parameters.ts';

/** The search, the order and the page of a list that the API orders and searches. They are in the URL, for Back, reloads and links. */
export type ListOrder = {
  /** The typed text. */
  readonly text: string;
  readonly find: (text: string) => void;
  /** The id of the column by which the list is ordered. */
  readonly column: string;
  readonly isDescending: boolean;
  readonly orderBy: (column: string, isDescending: boolean) => void;
  /** The number of the page, from 1. */
  readonly page: number;
  readonly openPage: (page: number) => void;
  /** The ids of the columns by which the API orders. */
  readonly columns: readonly string[];
};

/**
 * A list that the API orders and searches, and the fields of its request.
 * @param orders the orders of the API, by the ids of columns. The first is that of a list without a choice.
 */
export const useListOrder = <Order extends string>(orders: Readonly<Record<string, Order>>) => {
  const [search, set] = useUrlParameters();
  const known = search.get('query') ?? '';
  const [text, setText] = useState(known);
  const written = useRef(known);
  // Back changes the URL. What this list wrote itself may be older than what is typed.
  useEffect(() => {
    if (known === written.current) return;
    written.current = known;
    setText(known);
  }, [known]);
  useEffect(() => {
    if (text.trim() === written.current) return undefined;
    const timer = setTimeout(() => {
      written.current = text.trim();
      set({ query: text.trim(), page: undefined });
    }, typingPause);
    return () => clearTimeout(timer);
  }, [text]);
  const query = searchedText(known);
  const columns = Object.keys(orders);
  const chosen = search.get('order') ?? '';
  const column = columns.includes(chosen) ? chosen : columns[0]!;
  const isDescending = search.get('descending') === 'true';
  const order: ListOrder = {
    text,
    find: setText,
    column,
    isDescending,
    orderBy: (next, descends) => set({ order: next === columns[0] ? undefined : next, descending: descends ? 'true' : undefined, page: undefined }),
    page: Math.max(1, Math.trunc(Number(search.get('page'))) || 1),
    openPage: (page) => set({ page: page > 1 ? String(page) : undefined }),
    columns,
  };
  return { order, request: { order_by: orders[column]!, descending: isDescending, ...(query !== '' && { query }) } };
};
