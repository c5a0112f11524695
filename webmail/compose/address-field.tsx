import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState, type ClipboardEvent, type FocusEvent, type KeyboardEvent } from 'react';
import type { EmailAddress } from '../jmap/types.ts';
import { recipientWords as words } from '../words/recipient-words.ts';
import { personName, searchWords, shownAddress } from '../words/words.ts';
import { AddressChips, type ChipActs, type ChosenAddress } from './address-chips.tsx';
import { formatAddress, isValidAddress, readAddresses, readAllAddresses, withAdded } from './addresses.ts';
import type { People } from './people.ts';
import './address-field.css';

export type AddressFieldProps = {
  readonly label: string;
  readonly addresses: readonly EmailAddress[];
  readonly onChange: (addresses: readonly EmailAddress[]) => void;
  readonly people: Pick<People, 'matching'>;
  /** Why addresses were refused, in words, by the addresses in small letters. */
  readonly problems: ReadonlyMap<string, string>;
  readonly autoFocus?: boolean;
};

/** People that are offered, and problems that are told, at most. */
const [maxOptions, maxProblems] = [8, 3];

const optionId = (listId: string, index: number): string => `${listId}-${index}`;

type OptionsProps = {
  readonly id: string;
  readonly options: readonly EmailAddress[];
  readonly active: number;
  readonly onTake: (person: EmailAddress) => void;
};

const Options = ({ id, options, active, onTake }: OptionsProps) => {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    // A press takes no focus from the input, which would end what is typed there.
    <ul ref={list} id={id} role="listbox" aria-label={searchWords.suggestions} hidden={options.length === 0} onMouseDown={(event) => event.preventDefault()}>
      {options.map((person, index) => {
        const [name, shown] = [personName(person), shownAddress(person.email)];
        return (
          <li key={person.email} id={optionId(id, index)} role="option" aria-selected={index === active} onClick={() => onTake(person)}>
            <bdi>{name}</bdi>
            {name !== shown && <bdi className="option-address">{shown}</bdi>}
          </li>
        );
      })}
    </ul>
  );
};

const Problems = ({ chosen }: { readonly chosen: readonly ChosenAddress[] }) => {
  const wrong = chosen.filter(({ problem }) => problem !== undefined);
  return (
    <div role="status" className="address-problems">
      {wrong.slice(0, maxProblems).map(({ address: { email }, problem }, index) => (
        <p key={`${email} ${index}`}>
          <bdi>{shownAddress(email)}</bdi>: {problem}
        </p>
      ))}
      {wrong.length > maxProblems && <p>{words.moreProblems(wrong.length - maxProblems)}</p>}
    </div>
  );
};

/** Keeps the typed text, turns it into addresses, and moves the focus after a change of them. */
const useTyping = ({ addresses, onChange }: AddressFieldProps) => {
  const input = useRef<HTMLInputElement>(null);
  const chips = useRef<HTMLUListElement>(null);
  const [text, setText] = useState('');
  /** Where the next addresses go: to the place of the one that is changed. */
  const [place, setPlace] = useState<number | undefined>();
  const nextFocus = useRef<number | undefined>(undefined);
  const focusOn = (index: number): void => (chips.current?.children[index]?.querySelector('button') ?? input.current)?.focus();
  useLayoutEffect(() => {
    if (nextFocus.current !== undefined) focusOn(nextFocus.current);
    nextFocus.current = undefined;
  });

  const add = (added: readonly EmailAddress[], rest = ''): void => {
    setText(rest);
    if (added.length === 0) return;
    setPlace(undefined);
    onChange(withAdded(addresses, added, place));
  };
  const without = (index: number): readonly EmailAddress[] => addresses.filter((_, each) => each !== index);
  return {
    input,
    chips,
    text,
    setText,
    focusOn,
    add,
    /** Turns all that is typed into addresses. */
    finish: () => text !== '' && add(readAllAddresses(text)),
    type: (value: string) => {
      const found = readAddresses(value);
      if (found.addresses.length > 0) add(found.addresses, found.rest);
      else setText(value.trimStart());
    },
    edit: (index: number) => {
      const edited = addresses[index];
      if (!edited) return;
      onChange(withAdded(without(index), readAllAddresses(text)));
      setText(formatAddress(edited));
      setPlace(index);
      nextFocus.current = addresses.length;
      input.current?.focus();
    },
    remove: (index: number, focusOnNext: number) => {
      nextFocus.current = focusOnNext;
      onChange(without(index));
    },
  };
};

/** People who match what is typed, and the one of them that a key takes. */
const useOptions = ({ addresses, people }: AddressFieldProps, text: string) => {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<number | undefined>();
  const options = isOpen ? people.matching(text, maxOptions, addresses) : [];
  // A person who typed a whole address means that one.
  const isWhole = isOpen && readAllAddresses(text).every(({ isValid }) => isValid);
  const active = Math.min(chosen ?? (isWhole ? -1 : 0), options.length - 1);
  return {
    options,
    active,
    show: () => {
      setOpen(true);
      setChosen(undefined);
    },
    close: () => setOpen(false),
    move: (by: 1 | -1) => {
      setOpen(true);
      if (options.length > 0) setChosen(((active + 1 + by + options.length + 1) % (options.length + 1)) - 1);
    },
  };
};

type Typing = ReturnType<typeof useTyping>;
type Offer = ReturnType<typeof useOptions>;

/** Acts on a key of the input. Returns whether the key is used up. */
const actOnKey = (event: KeyboardEvent<HTMLInputElement>, count: number, typing: Typing, { options, active, move, close }: Offer): boolean => {
  const { key, ctrlKey, metaKey, altKey, shiftKey, repeat, currentTarget } = event;
  const option = options[active];
  const isAtStart = currentTarget.selectionStart === 0 && currentTarget.selectionEnd === 0;
  if (ctrlKey || metaKey || altKey) {
    // The composer sends the message at this key.
    if (key === 'Enter') typing.finish();
    return false;
  }
  if (key === 'ArrowDown') move(1);
  else if (key === 'ArrowUp') move(-1);
  else if (option && (key === 'Enter' || key === ',' || (key === 'Tab' && !shiftKey))) {
    close();
    typing.add([option]);
  } else if (key === 'Enter') {
    close();
    typing.finish();
  } else if (key === 'Escape' && options.length > 0) close();
  else if (count > 0 && isAtStart && ((key === 'Backspace' && !repeat) || (key === 'ArrowLeft' && !shiftKey))) typing.focusOn(count - 1);
  else return false;
  return true;
};

const onPaste = (event: ClipboardEvent<HTMLInputElement>, { text, add }: Typing): void => {
  const pasted = event.clipboardData.getData('text/plain');
  // The browser puts in a single address, and names. It would join lines.
  if (!pasted.includes('@') || !/[,;\t\r\n]/.test(pasted.trim())) return;
  event.preventDefault();
  const { selectionStart, selectionEnd } = event.currentTarget;
  const before = text.slice(0, selectionStart ?? text.length);
  add(readAllAddresses(`${before}${pasted}${text.slice(selectionEnd ?? text.length)}`));
};

/** A field of addresses, which completes people, and shows each address as a part that can be changed and removed. */
export const AddressField = (props: AddressFieldProps) => {
  const { label, addresses, problems, autoFocus = false } = props;
  const [inputId, listId] = [useId(), useId()];
  const typing = useTyping(props);
  const offer = useOptions(props, typing.text);
  const { options, active } = offer;
  const { input } = typing;
  const chosen = useMemo(
    () =>
      addresses.map((address) => ({
        address,
        problem: problems.get(address.email.toLowerCase()) ?? (isValidAddress(address.email) ? undefined : words.notAddress),
      })),
    [addresses, problems],
  );
  // The chips are not made again while a person types, of which there may be thousands.
  const latest = useRef(typing);
  useLayoutEffect(() => {
    latest.current = typing;
  });
  const acts = useMemo<ChipActs>(
    () => ({
      edit: (index) => latest.current.edit(index),
      remove: (index, focusOn) => latest.current.remove(index, focusOn),
      focus: (index) => latest.current.focusOn(index),
    }),
    [],
  );
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void => {
    // The input remains the active element while another window has the focus: the person may come back with an address.
    if (document.activeElement === input.current) return;
    offer.close();
    if (!currentTarget.contains(relatedTarget)) typing.finish();
  };
  return (
    <div className="address-field" onBlur={onBlur}>
      <label htmlFor={inputId}>{label}</label>
      <div className="address-box">
        <AddressChips label={label} chosen={chosen} listRef={typing.chips} acts={acts} />
        <input
          ref={input}
          id={inputId}
          type="text"
          role="combobox"
          inputMode="email"
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          autoFocus={autoFocus}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-expanded={options.length > 0}
          aria-controls={listId}
          aria-activedescendant={active < 0 ? undefined : optionId(listId, active)}
          value={typing.text}
          onChange={({ target, nativeEvent }) => {
            offer.show();
            // An input method still has the text.
            if ('isComposing' in nativeEvent && nativeEvent.isComposing === true) typing.setText(target.value);
            else typing.type(target.value);
          }}
          onPaste={(event) => onPaste(event, typing)}
          onKeyDown={(event) => {
            // Safari sends the key that ends a composition with the code 229, after the composition.
            if (event.nativeEvent.isComposing || event.keyCode === 229 || !actOnKey(event, addresses.length, typing, offer)) return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      </div>
      <Options
        id={listId}
        options={options}
        active={active}
        onTake={(person) => {
          offer.close();
          typing.add([person]);
        }}
      />
      <div role="status" className="visually-hidden">
        {searchWords.suggested(options.length)}
      </div>
      <Problems chosen={chosen} />
    </div>
  );
};
