import Box from '@cloudscape-design/components/box';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { shownError } from '../../api/errors.ts';
import { ObjectNotFound } from './not-found.tsx';
import { FailedRead } from '../text/error-text.tsx';
import { PageSkeleton, PartSkeleton } from './loading.tsx';

export type QueryViewProps<Data> = {
  readonly query: UseQueryResult<Data>;
  /** `page` for the object of a page; `part` for a part of a page. */
  readonly variant?: 'page' | 'part';
  readonly children: (data: Data) => ReactNode;
};

/**
 * The result of a call, a skeleton until it is loaded, or its error. Old data remains during a new read, and below its
 * error, so that no form on it is lost.
 */
export const QueryView = <Data,>({ query, variant = 'part', children }: QueryViewProps<Data>) => {
  const { data, error, refetch } = query;
  const failure = error && <FailedRead error={error} onRetry={() => void refetch()} />;
  if (data !== undefined) return <>{failure && <Box margin={{ bottom: 'l' }}>{failure}</Box>}{children(data)}</>;
  if (error && variant === 'page' && shownError(error).kind === 'notFound') return <ObjectNotFound />;
  if (failure) return failure;
  return variant === 'page' ? <PageSkeleton /> : <PartSkeleton />;
};
