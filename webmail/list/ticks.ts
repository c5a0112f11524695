import { useState } from 'react';
import type { Id } from '../jmap/types.ts';

/** The rows that are ticked: conversations, each by the Email of its row. With `isAll`, all that the list has. */
export type Ticked = { readonly rows: ReadonlyMap<Id, Id>; readonly isAll: boolean };

export type TickedRow = { readonly threadId: Id; readonly emailId: Id };

export type TickState = Ticked & {
  readonly toggle: (row: TickedRow) => void;
  /** Ticks rows, and unticks the others with `only`. */
  readonly tick: (rows: readonly TickedRow[], only?: boolean) => void;
  readonly tickAll: () => void;
  readonly clear: () => void;
};

const none: Ticked = { rows: new Map(), isAll: false };

/** The ticks of a list. Another list begins without any. */
export const useTicks = (list: string): TickState => {
  const [state, setState] = useState({ list, ticked: none });
  const ticked = state.list === list ? state.ticked : none;
  const set = (next: Ticked): void => setState({ list, ticked: next });
  return {
    ...ticked,
    toggle({ threadId, emailId }) {
      const rows = new Map(ticked.rows);
      if (!rows.delete(threadId)) rows.set(threadId, emailId);
      set({ rows, isAll: false });
    },
    tick: (rows, only = false) =>
      set({ rows: new Map([...(only ? [] : ticked.rows), ...rows.map(({ threadId, emailId }) => [threadId, emailId] as const)]), isAll: false }),
    tickAll: () => set({ ...ticked, isAll: true }),
    clear: () => set(none),
  };
};
