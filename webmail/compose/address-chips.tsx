import type { KeyboardEvent, RefObject } from 'react';
import type { EmailAddress } from '../jmap/types.ts';
import { recipientWords as words } from '../words/recipient-words.ts';
import { personName, shownAddress } from '../words/words.ts';
import { formatAddress } from './addresses.ts';

/** An address with what is wrong with it, in words. */
export type ChosenAddress = { readonly address: EmailAddress; readonly problem: string | undefined };

export type AddressChipsProps = {
  readonly label: string;
  readonly chosen: readonly ChosenAddress[];
  readonly listRef: RefObject<HTMLUListElement | null>;
  readonly onEdit: (index: number) => void;
  /** Removes an address. The focus goes to a chip, or behind the last one to the input. */
  readonly onRemove: (index: number, focusOn: number) => void;
  readonly onFocus: (index: number) => void;
};

/** Acts on a key of a chip. Returns whether the key is used up. */
const actOnKey = (event: KeyboardEvent, index: number, { chosen, onEdit, onRemove, onFocus }: AddressChipsProps): boolean => {
  const { key, ctrlKey, metaKey, altKey, repeat } = event;
  if (ctrlKey || metaKey || altKey) return false;
  if (key === 'ArrowLeft') onFocus(Math.max(0, index - 1));
  else if (key === 'ArrowRight') onFocus(index + 1);
  else if (key === 'Home') onFocus(0);
  else if (key === 'End') onFocus(chosen.length);
  else if (key === 'Enter' || key === 'F2') onEdit(index);
  else if (key === 'Delete') onRemove(index, index);
  else if (key === 'Backspace') {
    // A key that is held down removes no more than what was selected.
    if (!repeat) onRemove(index, chosen.length);
  } else if (key.length === 1) {
    // The letter is typed where the focus is then, and is no shortcut.
    onFocus(chosen.length);
    event.stopPropagation();
    return false;
  } else return false;
  return true;
};

/** The addresses of a field. Arrow keys go from one to the next. */
export const AddressChips = (props: AddressChipsProps) => {
  const { label, chosen, listRef, onEdit, onRemove } = props;
  return (
    <ul ref={listRef} role="list" className="address-chips" aria-label={words.chosen(label)}>
      {chosen.map(({ address, problem }, index) => {
        const [name, shown] = [personName(address), shownAddress(address.email)];
        return (
          <li key={`${address.email} ${index}`} className={problem === undefined ? 'address-chip' : 'address-chip is-wrong'}>
            <button
              type="button"
              className="chip-name"
              tabIndex={-1}
              title={problem === undefined ? formatAddress({ ...address, email: shown }) : words.problem(shown, problem)}
              aria-invalid={problem !== undefined || undefined}
              onClick={({ currentTarget }) => currentTarget.focus()}
              onDoubleClick={() => onEdit(index)}
              onCopy={(event) => {
                event.clipboardData.setData('text/plain', formatAddress(address));
                event.preventDefault();
              }}
              onKeyDown={(event) => {
                if (!actOnKey(event, index, props)) return;
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
              onClick={() => onRemove(index, chosen.length)}
            >
              ×
            </button>
          </li>
        );
      })}
    </ul>
  );
};
