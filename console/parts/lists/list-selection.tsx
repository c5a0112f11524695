import { Box, Button, SpaceBetween } from '@cloudscape-design/components';
import { useState, type ReactNode } from 'react';
import type { ListSource } from '../../api/use-list.ts';
import { useUrlParameters } from '../../page/url-parameters.ts';
import { DetailsPanel } from '../../parts/view/details-panel.tsx';
import { words } from '../../words/words.ts';

export type RowDetails<Item> = {
  readonly title: (item: Item) => string;
  readonly content: (item: Item) => ReactNode;
  /** The URL parameter with the id of the selected row, so that a link can select a row. Default: `selected`. */
  readonly parameter?: string;
  /** The content when the list does not have the selected row, or not yet. */
  readonly missing?: (id: string) => ReactNode;
  /** The text of a button that opens the search term as `missing` when no row matches. */
  readonly lookUp?: string;
};

/** The selected row, by the id in the URL. The last details of a row remain after the list no longer has the row. */
export const useSelection = <Item,>(items: readonly Item[] | undefined, idOf: (item: Item) => string, parameter: string) => {
  const [search, set] = useUrlParameters();
  const [last, setLast] = useState<Item>();
  const id = search.get(parameter) ?? undefined;
  const found = items?.find((item) => idOf(item) === id);
  if (found !== undefined && found !== last) setLast(found);
  const select = (next: string | undefined): void => set({ [parameter]: next });
  const item = found ?? (last !== undefined && idOf(last) === id ? last : undefined);
  return { id, item, select };
};

/** The details of a row that was not read yet. A person can read the rest of the list. */
const NotRead = ({ readMore, isReading }: Pick<ListSource<unknown>, 'readMore' | 'isReading'>) => (
  <SpaceBetween size="s">
    <Box>{readMore ? words.list.notRead : words.list.missing}</Box>
    {readMore && (
      <Button loading={isReading} onClick={readMore}>
        {words.list.more}
      </Button>
    )}
  </SpaceBetween>
);

export const RowPanel = <Item,>({
  id,
  item,
  details,
  source,
}: {
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
