import { useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { completions, type Completable, type Completion } from './completions.ts';

type Searched = { readonly text: string; readonly isHere: boolean };

/** Keeps what is typed into the search box until it is searched, and completes it. A search from elsewhere replaces it. */
export const useSearchDraft = ({ text, isHere }: Searched, input: RefObject<HTMLInputElement | null>, completable: Completable) => {
  const [draft, setDraft] = useState(text);
  const [place, setPlace] = useState(isHere);
  const [caret, setCaret] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  /** The caret that the next text gets. */
  const nextCaret = useRef<number | undefined>(undefined);

  const [given, setGiven] = useState({ text, isHere });
  if (given.text !== text || given.isHere !== isHere) {
    setGiven({ text, isHere });
    setDraft(text);
    setPlace(isHere);
    setOpen(false);
  }
  useLayoutEffect(() => {
    if (nextCaret.current !== undefined) input.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = undefined;
  }, [draft]);

  const options = isOpen ? completions(draft, caret, completable) : [];
  return {
    draft,
    place,
    options,
    /** The position of the chosen completion, or -1. */
    chosen,
    setDraft,
    setPlace,
    setCaret,
    type: (typed: string, at: number): void => {
      setDraft(typed);
      setCaret(at);
      setOpen(true);
      setChosen(-1);
    },
    take: ({ insert }: Completion): void => {
      setDraft(insert.text);
      setCaret(insert.caret);
      setChosen(-1);
      nextCaret.current = insert.caret;
    },
    choose: (by: 1 | -1): void => {
      setOpen(true);
      const { length } = options;
      if (length > 0) setChosen(((chosen + 1 + by + length + 1) % (length + 1)) - 1);
    },
    close: (): void => {
      setOpen(false);
      setChosen(-1);
    },
  };
};
