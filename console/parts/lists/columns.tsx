import type { ReactNode } from 'react';
import type { MethodReference } from '../../page/may-open.ts';
import { stateWords, type StateKind } from '../../words/states.ts';
import { MethodButton } from '../forms/method-button.tsx';
import { PageLink } from '../text/link.tsx';
import { Time } from '../text/time.tsx';
import { Copyable, StateLabel, YesNo } from '../text/values.tsx';

export type Column<Item> = {
  readonly id: string;
  readonly header: string;
  readonly cell: (item: Item) => ReactNode;
  /** The text by which the column is sorted and searched. A column without `text` is neither sorted nor searched. */
  readonly text?: (item: Item) => string;
  /** Maximum width in pixels, for a column with long texts. */
  readonly maxWidth?: number;
  /** False for a column that is hidden until a person shows it. */
  readonly isVisible?: boolean;
};

type Settings = Pick<Column<unknown>, 'maxWidth' | 'isVisible'>;

export const textColumn = <Item,>(id: string, header: string, text: (item: Item) => string, settings: Settings = {}): Column<Item> => ({
  id,
  header,
  cell: text,
  text,
  ...settings,
});

/** A column of values to copy. */
export const copyColumn = <Item,>(id: string, header: string, text: (item: Item) => string): Column<Item> => ({
  id,
  header,
  cell: (item) => text(item) && <Copyable value={text(item)} name={header} />,
  text,
});

export const linkColumn = <Item,>(
  id: string,
  header: string,
  text: (item: Item) => string,
  pathOf: (item: Item) => string,
  settings: Settings = {},
): Column<Item> => ({ id, header, cell: (item) => <PageLink to={pathOf(item)}>{text(item)}</PageLink>, text, ...settings });

export const timeColumn = <Item,>(id: string, header: string, at: (item: Item) => string, settings: Settings = {}): Column<Item> => ({
  id,
  header,
  cell: (item) => at(item) && <Time at={at(item)} />,
  text: at,
  ...settings,
});

export const yesNoColumn = <Item,>(id: string, header: string, value: (item: Item) => boolean, settings: Settings = {}): Column<Item> => ({
  id,
  header,
  cell: (item) => <YesNo value={value(item)} />,
  text: (item) => String(value(item)),
  ...settings,
});

/** A column of a state. It is searched and sorted by the words that it shows. */
export const stateColumn = <Item,>(id: string, header: string, kind: StateKind, stateOf: (item: Item) => string): Column<Item> => ({
  id,
  header,
  cell: (item) => <StateLabel kind={kind} state={stateOf(item)} />,
  text: (item) => stateWords(kind, stateOf(item))?.label ?? stateOf(item),
});

type RowAction = {
  /** The method that the action calls. */
  readonly needs: MethodReference;
  readonly text: string;
  /** The label for screen readers: the action and its object. */
  readonly label: string;
  readonly onClick: () => void;
};

export const actionsColumn = <Item,>(header: string, actionsOf: (item: Item) => readonly RowAction[], settings: Settings = {}): Column<Item> => ({
  id: 'actions',
  header,
  ...settings,
  cell: (item) => (
    <div className="row-actions">
      {actionsOf(item).map(({ needs, text, label, onClick }) => (
        <MethodButton key={text} needs={needs} variant="inline-link" ariaLabel={label} onClick={onClick}>
          {text}
        </MethodButton>
      ))}
    </div>
  ),
});
