import { keepPreviousData, useInfiniteQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ServiceName } from '../../contract/admin/index.ts';
import { maxQueryLength } from '../../contract/values/fields.ts';
import { everyPage } from '../../people/every-page.ts';
import { callMethod, useAdminClient, type MethodName, type RequestOf, type ResponseOf } from './admin-api.tsx';

/** A typed text as the API searches it: on one line, and not longer than it takes. */
export const searchedText = (typed: string): string =>
  typed
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, maxQueryLength)
    .toWellFormed();

/** Milliseconds without another letter, after which the API searches what a person types. */
export const typingPause = 250;

/** A list from the API, with the pages that were read. */
export type ListSource<Item> = {
  readonly items: readonly Item[] | undefined;
  readonly error: unknown;
  readonly isReading: boolean;
  readonly refresh: () => void;
  /** Reads the next page; undefined when all is read. */
  readonly readMore?: (() => void) | undefined;
  /** Reads the whole list again, without showing it. Without it, `items` are the whole list. */
  readonly readAll?: () => Promise<readonly Item[]>;
};

type PagedRequest = { readonly page_token?: string | undefined };

/** The token of the next page; undefined on the last one. */
const nextPage = (page: unknown): string | undefined =>
  (typeof page === 'object' && page !== null && 'next_page_token' in page && typeof page.next_page_token === 'string' && page.next_page_token) || undefined;

/** A list whose method returns pages. Further pages are read when a person requests them. */
export const usePagedList = <S extends ServiceName, M extends MethodName<S>, Item>(
  service: S,
  method: M,
  request: RequestOf<S, M>,
  itemsOf: (response: ResponseOf<S, M>) => readonly Item[],
  {
    enabled = true,
    keepsPrevious = false,
  }: { readonly enabled?: boolean; /** Whether rows are shown until those of another request are there. */ readonly keepsPrevious?: boolean } = {},
): ListSource<Item> => {
  const client = useAdminClient();
  const call = (token: string | undefined): Promise<ResponseOf<S, M>> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each method with pages has this field
    callMethod(client, service, method, { ...(request as object), ...(token && ({ page_token: token } satisfies PagedRequest)) } as RequestOf<S, M>);
  const query = useInfiniteQuery({
    queryKey: [service, method, request, 'pages'],
    enabled,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    queryFn: ({ pageParam }) => call(pageParam),
    initialPageParam: '',
    getNextPageParam: (page: ResponseOf<S, M>) => nextPage(page),
  });
  return {
    items: query.data?.pages.flatMap(itemsOf),
    error: query.error,
    isReading: query.isFetching,
    refresh: () => void query.refetch(),
    readMore: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    readAll: () => everyPage(({ page_token: token }) => call(token), itemsOf),
  };
};

/** A list that one response contains. */
export const listSource = <Response, Item>(
  query: Pick<UseQueryResult<Response>, 'data' | 'error' | 'isFetching' | 'refetch'>,
  itemsOf: (response: Response) => readonly Item[],
): ListSource<Item> => ({
  items: query.data === undefined ? undefined : itemsOf(query.data),
  error: query.error,
  isReading: query.isFetching,
  refresh: () => void query.refetch(),
});
