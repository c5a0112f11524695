import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { stateWords, type StateKind } from '../../words/states.ts';
import type { Column } from './list-page.tsx';

/** A column of a state. It is searched and sorted by the words that it shows. */
export const stateColumn = <Item,>(kind: StateKind, { id, header, stateOf }: {
  readonly id: string;
  readonly header: string;
  readonly stateOf: (item: Item) => string;
}): Column<Item> => ({
  id, header, cell: (item) => <StateLabel kind={kind} state={stateOf(item)} />, text: (item) => stateWords(kind, stateOf(item))?.label ?? stateOf(item),
});

/** A state of the specification in words, with its colour. An unknown state is shown unchanged. */
export const StateLabel = ({ kind, state }: { readonly kind: StateKind; readonly state: string }) => {
  const found = stateWords(kind, state);
  return <StatusIndicator type={found?.look ?? 'info'}>{found?.label ?? state}</StatusIndicator>;
};
