import { useCollection } from '@cloudscape-design/collection-hooks';
import {
  Box,
  Button,
  CollectionPreferences,
  Header,
  Pagination,
  SpaceBetween,
  Table,
  TextFilter,
  type PaginationProps,
  type TableProps,
  type TextFilterProps,
} from '@cloudscape-design/components';
import { useEffect, useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { useRole } from '../../api/role.ts';
import type { ListSource } from '../../api/use-list.ts';
import { useTitle } from '../../page/page-frame.tsx';
import { useListPreferences, type ListPreferences } from '../../page/preferences.ts';
import { rightsToOpen } from '../../page/rights-to-open.ts';
import { words } from '../../words/words.ts';
import { FailedRead } from '../text/error-text.tsx';
import { Isolated } from '../text/isolated.tsx';
import { cellValue } from '../text/plain-text.tsx';
import { useIsSlow } from '../view/loading.tsx';
import { useNotifications } from '../view/notifications.tsx';
import { HelpLink, Page } from '../view/page.tsx';
import { BulkButton, useTicks, type Bulk } from './bulk-actions.tsx';
import type { Column } from './columns.tsx';
import { listCsv } from './list-csv.ts';
import type { ListOrder } from './list-order.ts';
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
  /** For a list that the API orders and searches. Others are ordered and searched here, as far as they were read. */
  readonly order?: ListOrder;
  /** The text for an empty list, with the action to take. */
  readonly empty: { readonly title: string; readonly text: string; readonly action?: ReactNode };
  readonly actions?: ReactNode;
  /** Filters of the API, besides the search. */
  readonly filters?: ReactNode;
  /** The details of a row, in the split panel of the page. */
  readonly details?: RowDetails<Item>;
  /** Actions on the rows that a person ticks. */
  readonly bulk?: Bulk<Item>;
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

const columnDefinition = <Item,>(column: Column<Item>, order: ListOrder | undefined) => ({
  id: column.id,
  header: column.header,
  cell: (item: Item) => cellValue(column.cell(item)),
  ...(column.maxWidth !== undefined && { maxWidth: column.maxWidth }),
  ...(order ? order.columns.includes(column.id) && { sortingField: column.id } : sortingOf(column)),
});

type Selection<Item> = ReturnType<typeof useSelection<Item>>;

/** A person selects one row, by its radio button or by a click anywhere in the row. */
const rowSelection = <Item,>({ title, idOf, details }: ListProps<Item>, { item: selected, select }: Selection<Item>) =>
  ({
    selectionType: 'single',
    selectedItems: selected === undefined ? [] : [selected],
    onSelectionChange: ({ detail }) => select(detail.selectedItems[0] && idOf(detail.selectedItems[0])),
    onRowClick: ({ detail }) => select(idOf(detail.item)),
    ariaLabels: { selectionGroupLabel: title, itemSelectionLabel: (_, item) => words.list.select(details?.title(item) ?? idOf(item)), tableLabel: title },
  }) satisfies Partial<TableProps<Item>>;

/** A person ticks rows. A click elsewhere in a row shows its details. */
const rowTicks = <Item,>(
  { title, idOf, details }: ListProps<Item>,
  { nameOf }: Bulk<Item>,
  { ticked, tick }: ReturnType<typeof useTicks<Item>>,
  { select }: Selection<Item>,
) =>
  ({
    selectionType: 'multi',
    selectedItems: ticked,
    onSelectionChange: ({ detail }) => tick(detail.selectedItems),
    ...(details && { onRowClick: ({ detail }) => select(idOf(detail.item)) }),
    ariaLabels: {
      selectionGroupLabel: title,
      allItemsSelectionLabel: () => words.list.selectAll,
      itemSelectionLabel: (_, item) => words.list.select(nameOf(item)),
      tableLabel: title,
    },
  }) satisfies Partial<TableProps<Item>>;

/** The columns, with a button for the details in the first one: with ticks, the keyboard has no other way to them. */
const withDetails = <Item,>(
  [first, ...others]: readonly Column<Item>[],
  idOf: (item: Item) => string,
  { nameOf }: Bulk<Item>,
  { id, select }: Selection<Item>,
): readonly Column<Item>[] => {
  if (!first) return [];
  const cell = (item: Item): ReactNode => (
    <>
      {cellValue(first.cell(item))}{' '}
      <Button
        variant="inline-icon"
        iconName="view-vertical"
        ariaLabel={words.list.detailsOf(nameOf(item))}
        ariaExpanded={idOf(item) === id}
        onClick={() => select(idOf(item))}
      />
    </>
  );
  return [{ ...first, cell }, ...others];
};

/** Saves the rows that match, of the whole list, as a file for a spreadsheet. */
const CsvButton = <Item,>({ name, columns, source, matches }: Pick<ListProps<Item>, 'name' | 'columns' | 'source'> & Pick<Rows<Item>, 'matches'>) => {
  const { notifyError } = useNotifications();
  const [isReading, setReading] = useState(false);
  const save = async (): Promise<void> => {
    setReading(true);
    try {
      const all = source.readAll ? await source.readAll() : (source.items ?? []);
      const url = URL.createObjectURL(new Blob([listCsv(columns, matches ? all.filter(matches) : all)], { type: 'text/csv' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = `${name}.csv`;
      link.click();
      URL.revokeObjectURL(url);
    } catch (error) {
      notifyError(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setReading(false);
    }
  };
  return <Button iconName="download" ariaLabel={words.list.csv} loading={isReading} disabled={source.items === undefined} onClick={() => void save()} />;
};

type ListHeaderProps = Pick<ListProps<unknown>, 'title' | 'description' | 'actions' | 'source' | 'variant'> & { readonly ticked: number };

const ListHeader = ({ title, description, actions, source, variant, ticked }: ListHeaderProps) => {
  const { items, isReading, readMore, refresh } = source;
  return (
    <Header
      variant={variant === 'page' ? 'awsui-h1-sticky' : 'h2'}
      counter={items && `(${ticked > 0 ? `${ticked}/` : ''}${items.length}${readMore ? '+' : ''})`}
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

const hasText = <Item,>(columns: readonly Column<Item>[], item: Item, text: string): boolean =>
  columns.some((column) => column.text?.(item).toLowerCase().includes(text.trim().toLowerCase()));

const useRows = <Item,>({ columns, idOf, source, sortedBy, empty, details }: ListProps<Item>, select: (id: string) => void, pageSize: number) => {
  const firstColumn = columns.find(({ id }) => id === sortedBy);
  const sortingColumn = firstColumn && sortingOf(firstColumn);
  const rows = useCollection(source.items ?? [], {
    filtering: {
      filteringFunction: (item, text) => hasText(columns, item, text),
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
  return { ...rows, matches: (item: Item) => hasText(columns, item, rows.filterProps.filteringText) };
};

/** The rows of the shown page, and what the table, its search and its pages need. */
type Rows<Item> = {
  readonly items: readonly Item[];
  /** Undefined when it is not known, because there is more to read. */
  readonly filteredItemsCount?: number | undefined;
  readonly collectionProps: Partial<TableProps<Item>>;
  readonly filterProps: Pick<TextFilterProps, 'filteringText' | 'onChange'>;
  /** Whether what is searched for is in a row. Undefined when the API searches. */
  readonly matches?: (item: Item) => boolean;
  readonly paginationProps: Pick<PaginationProps, 'currentPageIndex' | 'pagesCount' | 'openEnd' | 'onChange'>;
};

/** The rows of a list that the API orders and searches. Further pages are read when a person, or the URL, asks for them. */
const useOrderedRows = <Item,>({ source, empty, order }: ListProps<Item> & { readonly order: ListOrder }, pageSize: number): Rows<Item> => {
  const { items = [], isReading, error, readMore } = source;
  const { page, openPage, text, find, column, isDescending, orderBy } = order;
  const isShort = items.length < page * pageSize;
  useEffect(() => {
    if (isShort && !isReading && !error) readMore?.();
  });
  const pagesCount = Math.max(1, Math.ceil(items.length / pageSize));
  // The list may have become shorter.
  const shown = readMore ? page : Math.min(page, pagesCount);
  return {
    items: items.slice((shown - 1) * pageSize, shown * pageSize),
    filteredItemsCount: readMore ? undefined : items.length,
    collectionProps: {
      empty:
        text.trim() === '' ? (
          <EmptyState {...empty} />
        ) : (
          <EmptyState title={words.list.noMatch} action={<Button onClick={() => find('')}>{words.list.clearFilter}</Button>} />
        ),
      sortingColumn: { sortingField: column },
      sortingDescending: isDescending,
      onSortingChange: ({ detail }) => orderBy(detail.sortingColumn.sortingField ?? column, detail.isDescending ?? false),
    },
    filterProps: { filteringText: text, onChange: ({ detail }) => find(detail.filteringText) },
    paginationProps: {
      currentPageIndex: shown,
      pagesCount: Math.max(pagesCount, shown),
      openEnd: readMore !== undefined,
      onChange: ({ detail }) => openPage(detail.currentPageIndex),
    },
  };
};

/** The choices of a person in a list. */
const useChoices = <Item,>({ name, idOf, source, details }: ListProps<Item>) => {
  const [preferences, setPreferences] = useListPreferences(name);
  const selection = useSelection(source.items, idOf, details?.parameter ?? 'selected');
  return { preferences, setPreferences, selection };
};

type ListViewProps<Item> = { readonly list: ListProps<Item>; readonly rows: Rows<Item>; readonly choices: ReturnType<typeof useChoices<Item>> };

const ListView = <Item extends object>({ list, rows, choices }: ListViewProps<Item>) => {
  const { title, description, idOf, source, actions, filters, details, bulk, variant = 'page' } = list;
  const { preferences, setPreferences, selection } = choices;
  const ticks = useTicks(source.items, idOf, rows.matches ?? (() => true));
  const columns = bulk && details ? withDetails(list.columns, idOf, bulk, selection) : list.columns;
  const { items, filteredItemsCount, collectionProps, filterProps, paginationProps } = rows;
  const headerActions = (
    <SpaceBetween direction="horizontal" size="xs">
      <CsvButton name={list.name} columns={columns} source={source} matches={rows.matches} />
      {bulk && <BulkButton {...bulk} {...ticks} />}
      {actions}
    </SpaceBetween>
  );
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
        columnDefinitions={columns.map((column) => columnDefinition(column, list.order))}
        columnDisplay={columnDisplay}
        {...(bulk ? rowTicks(list, bulk, ticks, selection) : details && rowSelection(list, selection))}
        header={
          <ListHeader
            title={title}
            description={isSlow ? words.loading.slow : description}
            actions={headerActions}
            source={source}
            variant={variant}
            ticked={ticks.ticked.length}
          />
        }
        filter={
          <div className="list-filters">
            <TextFilter
              {...filterProps}
              filteringPlaceholder={words.list.filter}
              filteringAriaLabel={words.list.filter}
              countText={filteredItemsCount === undefined ? '' : words.list.matches(filteredItemsCount)}
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

const OrderedList = <Item extends object>(list: ListProps<Item> & { readonly order: ListOrder }) => {
  const choices = useChoices(list);
  return <ListView list={list} rows={useOrderedRows(list, choices.preferences.pageSize)} choices={choices} />;
};

const ReadList = <Item extends object>(list: ListProps<Item>) => {
  const choices = useChoices(list);
  return <ListView list={list} rows={useRows(list, choices.selection.select, choices.preferences.pageSize)} choices={choices} />;
};

/** A list: search, sorting, pages, columns that a person chooses, and a selection. */
export const List = <Item extends object>({ order, ...list }: ListProps<Item>) => (order ? <OrderedList {...list} order={order} /> : <ReadList {...list} />);

/** A list as a page. Its action opens the page at `create.path`. */
export const ListPage = <Item extends object>({
  create,
  ...list
}: ListProps<Item> & { readonly create?: { readonly text: string; readonly path: string } }) => {
  useTitle(list.title);
  const navigate = useNavigate();
  const role = useRole();
  const action = create && (
    <Button variant="primary" {...rightsToOpen(role, create.path)} onClick={() => void navigate(create.path)}>
      {create.text}
    </Button>
  );
  const actions = (
    <SpaceBetween direction="horizontal" size="xs">
      {list.actions}
      {action}
    </SpaceBetween>
  );
  return <List {...list} {...(action && { actions, empty: { ...list.empty, action } })} />;
};
