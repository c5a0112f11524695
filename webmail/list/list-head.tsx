import { useEffect, useRef, type ReactNode } from 'react';
import { words } from '../words/words.ts';

export type ListHeadProps = {
  /** Rows that are ticked. */
  readonly count: number;
  readonly isAll: boolean;
  /** Conversations of the list. */
  readonly total: number;
  /** Ticks all that the list has. Undefined where the person may mean less than the list has. */
  readonly onTickAll: (() => void) | undefined;
  readonly onTickRows: () => void;
  readonly onClear: () => void;
  /** The buttons that act on what is ticked, or on the list. */
  readonly children: ReactNode;
};

/** The line above a list: what is ticked, and what can be done with it. Its height is always the same. */
export const ListHead = ({ count, isAll, total, onTickAll, onTickRows, onClear, children }: ListHeadProps) => {
  const box = useRef<HTMLInputElement>(null);
  const isSome = count > 0 && !isAll;
  useEffect(() => {
    box.current!.indeterminate = isSome;
  }, [isSome]);
  return (
    <div className="list-head">
      <input
        ref={box}
        type="checkbox"
        aria-label={words.tickAll}
        disabled={total === 0}
        checked={isAll || count > 0}
        onChange={() => (count > 0 || isAll ? onClear() : onTickRows())}
      />
      <span role="status">{isAll ? words.allTicked(total) : count > 0 ? words.ticked(count) : words.conversations(total)}</span>
      {isSome && onTickAll && (
        <button type="button" aria-label={words.tickAllMatching} onClick={onTickAll}>
          {words.all}
        </button>
      )}
      {children}
    </div>
  );
};
