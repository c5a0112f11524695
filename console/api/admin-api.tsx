import { keepPreviousData, useMutation, useQuery, useQueryClient, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { createContext, useContext, type ReactNode } from 'react';
import type { ServiceName } from '../../contract/admin/index.ts';
import { AdminApiError, type MethodName, type RequestOf, type ResponseOf } from '../../contract/client.ts';
import type { AdminClient } from './admin-client.ts';
import { noteFailedCall } from './failed-calls.ts';

export type { MethodName, RequestOf, ResponseOf } from '../../contract/client.ts';

const ClientContext = createContext<AdminClient | undefined>(undefined);

export const AdminApiProvider = ({ client, children }: { readonly client: AdminClient; readonly children: ReactNode }) => (
  <ClientContext value={client}>{children}</ClientContext>
);

export const useAdminClient = (): AdminClient => {
  const client = useContext(ClientContext);
  if (!client) throw new Error('there is no AdminApiProvider');
  return client;
};

/** Calls a method by its names. Every page calls the API by this function, `useAdminQuery` or `useAdminMutation`. */
export const callMethod = <S extends ServiceName, M extends MethodName<S>>(
  client: AdminClient,
  service: S,
  method: M,
  request: RequestOf<S, M>,
): Promise<ResponseOf<S, M>> =>
  client(service, method, request).catch((error: unknown) => {
    throw noteFailedCall(error, service, method);
  });

type QueryOptions<Response = unknown> = {
  readonly enabled?: boolean;
  /** Milliseconds between two calls while the page is visible; it may depend on the newest response. */
  readonly refetchInterval?: number | false | ((response: Response | undefined) => number | false);
  /** Shows the response to the previous request until there is one to a new request. */
  readonly keepsPrevious?: boolean;
};

/** The query of a method, with a cache key that all callers share. */
export const adminQuery = <S extends ServiceName, M extends MethodName<S>>(client: AdminClient, service: S, method: M, request: RequestOf<S, M>) => ({
  queryKey: [service, method, request],
  queryFn: () => callMethod(client, service, method, request),
});

/** Calls a method that only reads, and again when its data may have changed. */
export const useAdminQuery = <S extends ServiceName, M extends MethodName<S>>(
  service: S,
  method: M,
  request: RequestOf<S, M>,
  { enabled = true, refetchInterval = false, keepsPrevious = false }: QueryOptions<ResponseOf<S, M>> = {},
): UseQueryResult<ResponseOf<S, M>> => {
  const client = useAdminClient();
  return useQuery({
    ...adminQuery(client, service, method, request),
    enabled,
    refetchInterval: typeof refetchInterval === 'function' ? (query) => refetchInterval(query.state.data) : refetchInterval,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
};

/** The codes of a call that was refused because something else is stored than the person saw. */
const outdatedCodes: readonly string[] = ['aborted', 'already_exists', 'failed_precondition', 'not_found'];

const isOutdated = (error: Error): boolean => error instanceof AdminApiError && outdatedCodes.includes(error.code);

/** Changes that have been sent and have no answer yet, by their method and request. */
const changes = new Map<string, Promise<unknown>>();

/** Sends a change once, however often it is asked for before its answer, as by a double click. */
const sendOnce = <Answer,>(change: string, send: () => Promise<Answer>): Promise<Answer> => {
  const sent = changes.get(change) ?? send().finally(() => changes.delete(change));
  changes.set(change, sent);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same change has the same answer
  return sent as Promise<Answer>;
};

/**
 * Changes something with a method. All shown data is then read again, also after a refusal because of changed data. A
 * failed change is never repeated automatically.
 * @param leave leaves the page after the change: for the page of an object that the method removes, whose reads would
 * fail.
 */
export const useAdminMutation = <S extends ServiceName, M extends MethodName<S>>(
  service: S,
  method: M,
  { leave }: { readonly leave?: () => void | Promise<void> } = {},
): UseMutationResult<ResponseOf<S, M>, Error, RequestOf<S, M>> => {
  const client = useAdminClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (request: RequestOf<S, M>) => sendOnce(JSON.stringify([service, method, request]), () => callMethod(client, service, method, request)),
    onSuccess: async () => {
      if (!leave) return queries.invalidateQueries();
      // A read that has begun may have an answer from before the change.
      await queries.cancelQueries();
      await queries.invalidateQueries({ refetchType: 'none' });
      return leave();
    },
    onError: (error) => {
      if (isOutdated(error)) void queries.invalidateQueries();
    },
  });
};
