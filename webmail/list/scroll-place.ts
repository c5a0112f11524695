import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import type { Id } from '../jmap/types.ts';
import { rowHeight } from './list-geometry.ts';
import { focusRow } from './row-focus.ts';

type Box = RefObject<HTMLDivElement | null>;

/** Keeps the first visible row in its place when rows come or go above it. @param key what is the same for the same list. */
export const useAnchor = (box: Box, ids: readonly (Id | undefined)[], key: string, offset: number, scale: number): void => {
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
};

/** Scrolls to the row that becomes active, and moves the focus to it if the list has the focus. */
export const useActiveInView = (box: Box, ids: readonly (Id | undefined)[], active: number, scale: number): void => {
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
    if (element.contains(document.activeElement)) focusRow(element, active);
  }, [active, scale]);
};

/** Scrolls once to where a person left the list, when it has rows. */
export const useFirstPlace = (box: Box, top: number, total: number): void => {
  const isPlaced = useRef(top === 0);
  useLayoutEffect(() => {
    const element = box.current;
    if (isPlaced.current || !element || total === 0) return;
    isPlaced.current = true;
    element.scrollTop = top;
  }, [total, top]);
};
