import { memo, type KeyboardEvent, type RefObject } from 'react';
import type { EmailAddress } from '../jmap/types.ts';
import { recipientWords as words } from '../words/recipient-words.ts';
import { personName, shownAddress } from '../words/words.ts';
import { formatAddress } from './addresses.ts';

/** An address with what is wrong with it, in words. */
export type ChosenAddress = { readonly address: EmailAddress; readonly problem: string | undefined };

/** The acts of a chip. An index behind the last one is the input. */
export type ChipActs = {
  readonly edit: (index: number) => void;
  /** Removes an address, and gives the focus to a place. */
  readonly remove: (index: number, focusOn: number) => void;
  readonly focus: (index: number) => void;
};

const behind = Infinity;

/** Acts on a key of a chip. Returns whether the key is used up. */
const actOnKey = (event: KeyboardEvent, index: number, { edit, remove, focus }: ChipActs): boolean => {
  const { key, ctrlKey, metaKey, altKey, repeat } = event;
  if (ctrlKey || metaKey || altKey) return false;
  if (key === 'ArrowLeft') focus(Math.max(0, index - 1));
  else if (key === 'ArrowRight') focus(index + 1);
  else if (key === 'Home') focus(0);
  else if (key === 'End') focus(behind);
  else if (key === 'Enter' || key === 'F2') edit(index);
  else if (key === 'Delete') remove(index, index);
  else if (key === 'Backspace') {
    // A key that is held down removes no more than what was selected.
    if (!repeat) remove(index, behind);
  } else if (key.length === 1) {
    // The letter is typed where the focus is then, and is no shortcut.
    focus(behind);
    event.stopPropagation();
    return false;
  } else return false;
  return true;
};

type ChipProps = ChosenAddress & { readonly index: number; readonly acts: ChipActs };

const Chip = memo(({ address, problem, index, acts }: ChipProps) => {
  const [name, shown] = [personName(address), shownAddress(address.email)];
  return (
    <li className={problem === undefined ? 'address-chip' : 'address-chip is-wrong'}>
      <button
        type="button"
        className="chip-name"
        tabIndex={-1}
        title={problem === undefined ? formatAddress({ ...address, email: shown }) : words.problem(shown, problem)}
        aria-invalid={problem !== undefined || undefined}
        onClick={({ currentTarget }) => currentTarget.focus()}
        onDoubleClick={() => acts.edit(index)}
        onCopy={(event) => {
          event.clipboardData.setData('text/plain', formatAddress(address));
          event.preventDefault();
        }}
        onKeyDown={(event) => {
          if (!actOnKey(event, index, acts)) return;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        <bdi>{name}</bdi>
        <span className="visually-hidden">
          {name !== shown && ` ${shown}`}. {problem !== undefined && `${problem}. `}
          {words.keys}
        </span>
      </button>
      <button
        type="button"
        className="chip-remove"
        tabIndex={-1}
        aria-label={words.remove(name)}
        // The press takes no focus from the input, which would end what is typed there.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => acts.remove(index, behind)}
      >
        ×
      </button>
    </li>
  );
});

type AddressChipsProps = {
  readonly label: string;
  readonly chosen: readonly ChosenAddress[];
  readonly listRef: RefObject<HTMLUListElement | null>;
  readonly acts: ChipActs;
};

/** The addresses of a field. Arrow keys go from one to the next. */
export const AddressChips = memo(({ label, chosen, listRef, acts }: AddressChipsProps) => (
  <ul ref={listRef} role="list" className="address-chips" aria-label={words.chosen(label)}>
    {chosen.map(({ address, problem }, index) => (
      <Chip key={`${address.email} ${index}`} address={address} problem={problem} index={index} acts={acts} />
    ))}
  </ul>
));
