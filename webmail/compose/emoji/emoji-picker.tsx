import { useRef, useState, type KeyboardEvent } from 'react';
import unicodeGroups from 'unicode-emoji-json/data-by-group.json';
import { composerWords as words } from '../../words/composer-words.ts';
import './emoji-picker.css';
import { placeAfter, rowsOf, searchEmoji, type EmojiGroup, type Place } from './emoji-search.ts';
import { keepRecentEmoji, recentEmoji } from './recent-emoji.ts';

const groups: readonly EmojiGroup[] = unicodeGroups;
const all = new Map(groups.flatMap(({ emojis }) => emojis.map((each) => [each.emoji, each] as const)));
const first: Place = { row: 0, column: 0 };

export type EmojiPickerProps = { readonly onChoose: (emoji: string) => void; readonly onClose: () => void };

/** Finds an emoji by its name or in its group. The grid is one stop of Tab. */
export const EmojiPicker = ({ onChoose, onClose }: EmojiPickerProps) => {
  const [recent] = useState(recentEmoji);
  const [text, setText] = useState('');
  const [group, setGroup] = useState(0);
  const [place, setPlace] = useState(first);
  const search = useRef<HTMLInputElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const isSearch = text.trim() !== '';
  const used = isSearch ? [] : recent.flatMap((each) => all.get(each) ?? []);
  const rows = [...rowsOf(used), ...rowsOf(isSearch ? searchEmoji(groups, text, recent) : groups[group]!.emojis)];
  const choose = (emoji: string): void => {
    keepRecentEmoji(emoji);
    onChoose(emoji);
  };
  const moveTo = (to: Place): void => {
    setPlace(to);
    grid.current?.children[to.row]?.querySelectorAll('button')[to.column]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
    onClose();
    event.preventDefault();
    event.stopPropagation();
  };
  const onSearchKey = (event: KeyboardEvent): void => {
    const [found] = rows[0] ?? [];
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowDown' && found) moveTo(place);
    else if (event.key === 'Enter' && isSearch && found) choose(found.emoji);
    else return;
    event.preventDefault();
  };
  const onGridKey = (event: KeyboardEvent): void => {
    const to = placeAfter(
      rows.map(({ length }) => length),
      place,
      event.key,
    );
    if (to) moveTo(to);
    else if (event.key === 'ArrowUp') search.current?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <div className="emoji-picker" role="dialog" aria-label={words.emoji} onKeyDown={onKeyDown}>
      <div className="emoji-search">
        <input
          ref={search}
          type="search"
          autoFocus
          aria-label={words.searchEmoji}
          placeholder={words.searchEmoji}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setPlace(first);
          }}
          onKeyDown={onSearchKey}
        />
        <select
          aria-label={words.emojiGroup}
          value={group}
          onChange={({ target }) => {
            setGroup(Number(target.value));
            setText('');
            setPlace(first);
          }}
        >
          {groups.map(({ name }, index) => (
            <option key={name} value={index}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <p role="status" className="quiet">
        {rows.length === 0 && words.noEmoji}
      </p>
      {rows.length > 0 && (
        <div ref={grid} className="emoji-grid" role="grid" aria-label={words.emoji} onKeyDown={onGridKey}>
          {rows.map((emojis, row) => (
            <div key={row} role="row" aria-label={row === 0 && used.length > 0 ? words.recentEmoji : undefined}>
              {emojis.map(({ emoji, name }, column) => (
                <button
                  key={emoji}
                  type="button"
                  role="gridcell"
                  aria-label={name}
                  title={name}
                  tabIndex={row === place.row && column === place.column ? 0 : -1}
                  onFocus={() => setPlace({ row, column })}
                  onClick={() => choose(emoji)}
                >
                  {emoji}
                </button>
              ))}
            </div>
          ))}
        </div>
      )}
    </div>
  );
};
