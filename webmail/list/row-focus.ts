import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import type { Id } from '../jmap/types.ts';

type Box = RefObject<HTMLDivElement | null>;

export const focusRow = (list: HTMLElement | null, index: number): void =>
  list?.querySelector<HTMLElement>(`[aria-rowindex="${index + 1}"] .row-content`)?.focus({ preventScroll: true });

/** Moves the focus to the active row when the row that had it has left the list. @returns whether a row has the focus, which the rows set. */
export const useKeptFocus = (box: Box, ids: readonly (Id | undefined)[], active: number): RefObject<boolean> => {
  const hasFocus = useRef(false);
  useLayoutEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) focusRow(box.current, active);
  }, [ids, active]);
  return hasFocus;
};

/** Moves the focus to the active row when a conversation is closed and nothing has the focus, as on a phone. */
export const useFocusAfterClose = (box: Box, openThreadId: Id | undefined, active: number): void => {
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && openThreadId === undefined && document.activeElement === document.body) focusRow(box.current, active);
    wasOpen.current = openThreadId !== undefined;
  }, [openThreadId, active]);
};
