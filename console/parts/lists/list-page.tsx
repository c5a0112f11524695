import { useCollection } from '@cloudscape-design/collection-hooks';
import { Box, Button, CollectionPreferences, Header, Pagination, SpaceBetween, Table, TextFilter, type TableProps } from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import type { ListSource } from '../../api/use-list.ts';
import { useTitle } from '../../page/page-frame.tsx';
import { useListPreferences, type ListPreferences } from '../../page/preferences.ts';
import { words } from '../../words/words.ts';
import { FailedRead } from '../text/error-text.tsx';
import { Isolated } from '../text/isolated.tsx';
import { cellValue } from '../text/plain-text.tsx';
import { useIsSlow } from '../view/loading.tsx';
import { HelpLink, Page } from '../view/page.tsx';
import type { Column } from './columns.tsx';
import { RowPanel, useSelection, type RowDetails } from './list-selection.tsx';

type ListProps<Item> = {
  /** The name of the list under which its preferences are stored. */
  readonly name: string;
  readonly title: string;
  readonly description?: ReactNode;
  readonly columns: readonly Column<Item>[];
  readonly idOf: (item: Item) => string;
  readonly source: ListSource<Item>;
  /** The id of the column by which the list is sorted at first. Default: the order of the API. */
  readonly sortedBy?: string;
  /** The text for an empty list, with the action to take. */
  readonly empty: { readonly title: string; readonly text: string; readonly action?: ReactNode };
  readonly actions?: ReactNode;
  /** Filters of the API, besides the search. */
  readonly filters?: ReactNode;
  /** The details of a row, in the split panel of the page. */
  readonly details?: RowDetails<Item>;
  /** `page` for a page that is only a list; `part` for a list on a page with other parts. */
  readonly variant?: 'page' | 'part';
};

const EmptyState = ({ title, text, action }: { readonly title: string; readonly text?: string; readonly action?: ReactNode }) => (
  <Box textAlign="center" color="inherit" margin={{ vertical: 'xs' }}>
    <SpaceBetween size="m">
      <div>
        <b>{title}</b>
        {text && <Box color="inherit">{text}</Box>}
      </div>
      {action}
    </SpaceBetween>
  </Box>
);

const sortingOf = <Item,>({ id, text }: Column<Item>) =>
  text && { sortingComparator: (one: Item, other: Item) => text(one).localeCompare(text(other), undefined, { numeric: true }), sortingField: id };

const columnDefinition = <Item,>(column: Column<Item>) => ({
  id: column.id,
  header: column.header,
  cell: (item: Item) => cellValue(column.cell(item)),
  ...(column.maxWidth !== undefined && { maxWidth: column.maxWidth }),
  ...sortingOf(column),
});

/** A person selects one row, by its radio button or by a click anywhere in the row. */
const rowSelection = <Item,>(title: string, idOf: (item: Item) => string, { item: selected, select }: ReturnType<typeof useSelection<Item>>) =>
  ({
    selectionType: 'single',
    selectedItems: selected === undefined ? [] : [selected],
    onSelectionChange: ({ detail }) => select(detail.selectedItems[0] && idOf(detail.selectedItems[0])),
    onRowClick: ({ detail }) => select(idOf(detail.item)),
    ariaLabels: { selectionGroupLabel: title, itemSelectionLabel: (_, item) => words.list.select(idOf(item)), tableLabel: title },
  }) satisfies Partial<TableProps<Item>>;

type ListHeaderProps = Pick<ListProps<unknown>, 'title' | 'description' | 'actions' | 'source' | 'variant'>;

const ListHeader = ({ title, description, actions, source, variant }: ListHeaderProps) => {
  const { items, isReading, readMore, refresh } = source;
  return (
    <Header
      variant={variant === 'page' ? 'awsui-h1-sticky' : 'h2'}
      counter={items && `(${items.length}${readMore ? '+' : ''})`}
      info={variant === 'page' && <HelpLink />}
      description={description}
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button iconName="refresh" ariaLabel={words.list.refresh} loading={isReading} onClick={refresh} />
          {readMore && (
            <Button onClick={readMore} loading={isReading}>
              {words.list.more}
            </Button>
          )}
          {actions}
        </SpaceBetween>
      }
    >
      <Isolated>{title}</Isolated>
    </Header>
  );
};

type PreferencesDialogProps = {
  readonly columns: readonly Pick<Column<never>, 'id' | 'header'>[];
  readonly columnDisplay: readonly { readonly id: string; readonly visible: boolean }[];
  readonly preferences: ListPreferences;
  readonly onChange: (preferences: ListPreferences) => void;
};

const PreferencesDialog = ({ columns, columnDisplay, preferences, onChange }: PreferencesDialogProps) => (
  <CollectionPreferences
    title={words.list.preferences}
    confirmLabel={words.list.confirm}
    cancelLabel={words.list.cancel}
    preferences={{ pageSize: preferences.pageSize, wrapLines: preferences.wrapLines, contentDisplay: columnDisplay }}
    onConfirm={({ detail }) =>
      onChange({
        pageSize: detail.pageSize ?? preferences.pageSize,
        wrapLines: detail.wrapLines ?? false,
        visibleColumns: detail.contentDisplay?.filter((column) => column.visible).map(({ id }) => id),
      })
    }
    pageSizePreference={{ title: words.list.pageSize, options: [10, 25, 50, 100].map((value) => ({ value, label: words.list.lines(value) })) }}
    wrapLinesPreference={{ label: words.list.wrap }}
    contentDisplayPreference={{ title: words.list.columns, options: columns.map(({ id, header }) => ({ id, label: header })) }}
  />
);

const useRows = <Item,>({ columns, idOf, source, sortedBy, empty, details }: ListProps<Item>, select: (id: string) => void, pageSize: number) => {
  const firstColumn = columns.find(({ id }) => id === sortedBy);
  const sortingColumn = firstColumn && sortingOf(firstColumn);
  const rows = useCollection(source.items ?? [], {
    filtering: {
      filteringFunction: (item, text) => columns.some((column) => column.text?.(item).toLowerCase().includes(text.trim().toLowerCase())),
      empty: <EmptyState {...empty} />,
      noMatch: (
        <EmptyState
          title={words.list.noMatch}
          {...(source.readMore && { text: words.list.noMatchYet })}
          action={
            <SpaceBetween direction="horizontal" size="xs">
              <Button onClick={() => rows.actions.setFiltering('')}>{words.list.clearFilter}</Button>
              {details?.lookUp && <Button onClick={() => select(rows.filterProps.filteringText.trim())}>{details.lookUp}</Button>}
            </SpaceBetween>
          }
        />
      ),
    },
    pagination: { pageSize },
    sorting: sortingColumn ? { defaultState: { sortingColumn } } : {},
    selection: { trackBy: idOf },
  });
  return rows;
};

/** A list: search, sorting, pages, columns that a person chooses, and a selection. */
export const List = <Item,>(list: ListProps<Item>) => {
  const { name, title, description, columns, idOf, source, actions, filters, details, variant = 'page' } = list;
  const [preferences, setPreferences] = useListPreferences(name);
  const selection = useSelection(source.items, idOf, details?.parameter ?? 'selected');
  const { items, filteredItemsCount, collectionProps, filterProps, paginationProps } = useRows(list, selection.select, preferences.pageSize);
  const isSlow = useIsSlow(source.isReading);
  const visible = preferences.visibleColumns ?? columns.filter(({ isVisible = true }) => isVisible).map(({ id }) => id);
  const columnDisplay = columns.map(({ id }) => ({ id, visible: visible.includes(id) }));
  const failure = Boolean(source.error) && <FailedRead error={source.error} onRetry={source.refresh} />;
  if (failure && !source.items)
    return variant === 'page' ? (
      <Page title={title} actions={actions}>
        {failure}
      </Page>
    ) : (
      failure
    );
  return (
    <>
      {failure}
      <Table<Item>
        {...collectionProps}
        variant={variant === 'page' ? 'full-page' : 'container'}
        stickyHeader={variant === 'page'}
        items={[...items]}
        trackBy={idOf}
        loading={source.isReading && source.items === undefined}
        loadingText={words.loading.text}
        skeleton={{ totalRows: variant === 'page' ? 8 : 3 }}
        wrapLines={preferences.wrapLines}
        columnDefinitions={columns.map(columnDefinition)}
        columnDisplay={columnDisplay}
        {...(details && rowSelection(title, idOf, selection))}
        header={<ListHeader title={title} description={isSlow ? words.loading.slow : description} actions={actions} source={source} variant={variant} />}
        filter={
          <div className="list-filters">
            <TextFilter
              {...filterProps}
              filteringPlaceholder={words.list.filter}
              filteringAriaLabel={words.list.filter}
              countText={words.list.matches(filteredItemsCount ?? 0)}
            />
            {filters}
          </div>
        }
        pagination={
          <Pagination
            {...paginationProps}
            ariaLabels={{ nextPageLabel: words.list.nextPage, previousPageLabel: words.list.previousPage, pageLabel: words.list.page }}
          />
        }
        preferences={<PreferencesDialog columns={columns} columnDisplay={columnDisplay} preferences={preferences} onChange={setPreferences} />}
      />
      {details && selection.id !== undefined && <RowPanel id={selection.id} item={selection.item} details={details} source={source} />}
    </>
  );
};

/** A list as a page. Its action opens the page at `create.path`. */
export const ListPage = <Item,>({ create, ...list }: ListProps<Item> & { readonly create?: { readonly text: string; readonly path: string } }) => {
  useTitle(list.title);
  const navigate = useNavigate();
  const action = create && (
    <Button variant="primary" onClick={() => void navigate(create.path)}>
      {create.text}
    </Button>
  );
  return <List {...list} {...(action && { actions: action, empty: { ...list.empty, action } })} />;
};
