import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { DetailsPanel } from '../../page/page-frame.tsx';
import { words } from '../../words/words.ts';
import type { ListSource } from '../../api/list-source.ts';

export type RowDetails<Item> = {
  readonly title: (item: Item) => string;
  readonly content: (item: Item) => ReactNode;
  /** The parameter of the address that has the id of the selected row, so that a link opens it. Default: `selected`. */
  readonly parameter?: string;
  /** In place of the details of a row that the list does not have, or not yet. */
  readonly missing?: (id: string) => ReactNode;
  /** The text of a button that opens the search term as `missing` when no row matches. */
  readonly lookUp?: string;
};

/** The selected row, by the id in the address. A row that the list no longer has keeps its last details. */
export const useSelection = <Item,>(items: readonly Item[] | undefined, idOf: (item: Item) => string, parameter: string) => {
  const [search, setSearch] = useSearchParams();
  const [last, setLast] = useState<Item>();
  const id = search.get(parameter) ?? undefined;
  const found = items?.find((item) => idOf(item) === id);
  if (found !== undefined && found !== last) setLast(found);
  const select = (next: string | undefined): void => setSearch((known) => {
    const changed = new URLSearchParams(known);
    if (next === undefined) changed.delete(parameter);
    else changed.set(parameter, next);
    return changed;
  }, { replace: true, preventScrollReset: true });
  const item = found ?? (last !== undefined && idOf(last) === id ? last : undefined);
  return { id, item, select };
};

/** A row that is not among those that were read. The rest of the list can be read. */
const NotRead = ({ readMore, isReading }: Pick<ListSource<unknown>, 'readMore' | 'isReading'>) => (
  <SpaceBetween size="s">
    <Box>{readMore ? words.list.notRead : words.list.missing}</Box>
    {readMore && <Button loading={isReading} onClick={readMore}>{words.list.more}</Button>}
  </SpaceBetween>
);

/** The details of the selected row in the split panel. */
export const RowPanel = <Item,>({ id, item, details, source }: {
  readonly id: string;
  readonly item: Item | undefined;
  readonly details: RowDetails<Item>;
  readonly source: ListSource<Item>;
}) => (
  <DetailsPanel id={id} title={item === undefined ? id : details.title(item)}>
    {item !== undefined && details.content(item)}
    {item === undefined && source.items !== undefined && (details.missing?.(id) ?? <NotRead readMore={source.readMore} isReading={source.isReading} />)}
  </DetailsPanel>
);
