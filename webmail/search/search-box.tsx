import { useEffect, useId, useRef, useState, type FocusEvent, type KeyboardEvent, type RefObject } from 'react';
import { searchWords } from '../words/words.ts';
import type { Completable, Completion } from './completions.ts';
import { SearchChips } from './search-chips.tsx';
import { useSearchDraft } from './search-draft.ts';
import { parseSearch } from './search-text.ts';
import './search-box.css';

export type SearchBoxProps = Completable & {
  /** The text that is searched. It is empty when none is. */
  readonly text: string;
  /** Searches a text, in the shown mailbox or everywhere but in Trash and Junk. */
  readonly onSearch: (text: string, isHere: boolean) => void;
  readonly onEnd: () => void;
  readonly isHere: boolean;
  /** The name of the mailbox that is shown, if there is one to search in. */
  readonly mailboxName: string | undefined;
  /** What the search ignored, in words. */
  readonly problems: readonly string[];
  readonly isSearching: boolean;
  readonly inputRef?: RefObject<HTMLInputElement | null>;
};

type ListProps = { readonly id: string; readonly options: readonly Completion[]; readonly chosen: number; readonly onTake: (completion: Completion) => void };

const optionId = (listId: string, index: number): string => `${listId}-${index}`;

const CompletionList = ({ id, options, chosen, onTake }: ListProps) => {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <ul ref={list} id={id} role="listbox" aria-label={searchWords.suggestions} hidden={options.length === 0}>
      {options.map((option, index) => (
        <li key={option.label} id={optionId(id, index)} role="option" aria-selected={index === chosen} onClick={() => onTake(option)}>
          <bdi>{option.label}</bdi>
        </li>
      ))}
    </ul>
  );
};

const EndButton = ({ input, onEnd }: { readonly input: RefObject<HTMLInputElement | null>; readonly onEnd: () => void }) => (
  <button
    type="button"
    className="end"
    aria-label={searchWords.end}
    onMouseDown={(event) => event.preventDefault()}
    onClick={({ currentTarget }) => {
      // The button goes away with the text.
      if (document.activeElement === currentTarget) input.current?.focus();
      onEnd();
    }}
  >
    ×
  </button>
);

/**
 * The search of the mail: a box whose text it completes, and buttons for terms that are searched often. It keeps what is
 * typed to itself until Enter or a button searches it.
 */
export const SearchBox = ({ text, onSearch, onEnd, isHere, mailboxName, problems, isSearching, inputRef, ...completable }: SearchBoxProps) => {
  const ownRef = useRef<HTMLInputElement>(null);
  const input = inputRef ?? ownRef;
  const listId = useId();
  const [hasFocus, setFocus] = useState(false);
  const { draft, place, options, chosen, setDraft, setPlace, setCaret, type, take, choose, close } = useSearchDraft({ text, isHere }, input, completable);

  const end = (): void => {
    close();
    setDraft('');
    onEnd();
  };
  const search = (searched: string, here: boolean): void => {
    close();
    if (parseSearch(searched).length > 0) onSearch(searched.trim(), here && mailboxName !== undefined);
    else if (text !== '') end();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    // Safari sends the key that ends a composition with the code 229, after the composition.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === 'ArrowDown') choose(1);
    else if (event.key === 'ArrowUp') choose(-1);
    else if (event.key === 'Enter' && options[chosen]) take(options[chosen]);
    else if (event.key === 'Escape' && options.length > 0) close();
    else if (event.key === 'Escape') {
      input.current?.blur();
      end();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void => {
    if (currentTarget.contains(relatedTarget)) return;
    setFocus(false);
    close();
  };
  return (
    <search className="search-box" onFocus={() => setFocus(true)} onBlur={onBlur}>
      <form
        role="none"
        className={isSearching ? 'is-searching' : undefined}
        onSubmit={(event) => {
          event.preventDefault();
          search(draft, place);
        }}
      >
        <input
          ref={input}
          type="search"
          aria-label={searchWords.searchMail}
          placeholder={searchWords.searchMail}
          enterKeyHint="search"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={listId}
          aria-activedescendant={chosen < 0 ? undefined : optionId(listId, chosen)}
          value={draft}
          onChange={({ target }) => type(target.value, target.selectionStart ?? target.value.length)}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart ?? 0)}
          onKeyDown={onKeyDown}
        />
        {(draft !== '' || text !== '') && <EndButton input={input} onEnd={end} />}
      </form>
      {/* A press takes no focus from the box, without which the list and the buttons would be gone before the click. */}
      <div onMouseDown={(event) => event.preventDefault()}>
        <CompletionList id={listId} options={options} chosen={chosen} onTake={take} />
        {(hasFocus || text !== '') && (
          <div className={text === '' ? 'search-chips is-over' : 'search-chips'}>
            <SearchChips
              draft={draft}
              text={text}
              isHere={place}
              mailboxName={mailboxName}
              focusBox={() => input.current?.focus()}
              onChange={(changed, here) => {
                setDraft(changed);
                setPlace(here);
                search(changed, here);
              }}
            />
          </div>
        )}
      </div>
      <div role="status" className="visually-hidden">
        {isSearching ? searchWords.searching : searchWords.suggested(options.length)}
      </div>
      <div role="status" className="search-problems">
        {text !== '' && problems.map((problem) => <p key={problem}>{problem}</p>)}
      </div>
    </search>
  );
};
