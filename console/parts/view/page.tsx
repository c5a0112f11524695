import { Box, Header, Link, SpaceBetween } from '@cloudscape-design/components';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMatches, useParams } from 'react-router';
import { shownError } from '../../api/errors.ts';
import { useHelp, useTitle } from '../../page/page-frame.tsx';
import { pageOf, pagesAbove } from '../../page/pages.ts';
import { words } from '../../words/words.ts';
import { FailedRead } from '../text/error-text.tsx';
import { Isolated } from '../text/isolated.tsx';
import { PageLink } from '../text/link.tsx';
import { PlainText } from '../text/plain-text.tsx';
import { PageSkeleton, PartSkeleton } from './loading.tsx';

export const HelpLink = () => {
  const openHelp = useHelp();
  return (
    openHelp && (
      <Link variant="info" onFollow={openHelp}>
        {words.help.info}
      </Link>
    )
  );
};

type PageProps = { readonly title: string; readonly description?: ReactNode; readonly actions?: ReactNode; readonly children: ReactNode };

/** A page: its header with actions, then its parts below each other. */
export const Page = ({ title, description, actions, children }: PageProps) => {
  useTitle(title);
  return (
    <SpaceBetween size="l">
      <Header
        variant="h1"
        info={<HelpLink />}
        description={description}
        actions={
          actions && (
            <SpaceBetween direction="horizontal" size="xs">
              {actions}
            </SpaceBetween>
          )
        }
      >
        <Isolated>{title}</Isolated>
      </Header>
      {children}
    </SpaceBetween>
  );
};

/** Shown at a URL without a page. */
export const NotFound = () => (
  <Page title={words.notFound.title}>
    <Box>{words.notFound.text}</Box>
    <PageLink to="/">{words.notFound.action}</PageLink>
  </Page>
);

/** Shown instead of an object that the API does not have, such as a removed one. */
export const ObjectNotFound = () => {
  const page = pageOf(useMatches().at(-1));
  const id = Object.values(useParams()).at(-1);
  const list = page && pagesAbove(page).at(-2);
  if (!page || !list) return <NotFound />;
  return (
    <Page title={words.objectNotFound.title(page.title)}>
      <SpaceBetween size="m">
        <Box>
          {words.objectNotFound.text} {id && <PlainText text={id} />}
        </Box>
        <PageLink to={list.path}>{words.objectNotFound.action(list.title)}</PageLink>
      </SpaceBetween>
    </Page>
  );
};

type QueryViewProps<Data> = {
  readonly query: UseQueryResult<Data>;
  /** `page` for the object of a page; `part` for a part of a page. */
  readonly variant?: 'page' | 'part';
  readonly children: (data: Data) => ReactNode;
};

/**
 * The content for the result of a call, a skeleton until it is loaded, or its error. During a new read and after an
 * error, the old data remains, so that no form is lost.
 */
export const QueryView = <Data,>({ query, variant = 'part', children }: QueryViewProps<Data>) => {
  const { data, error, refetch } = query;
  const failure = error && <FailedRead error={error} onRetry={() => void refetch()} />;
  if (data !== undefined)
    return (
      <>
        {failure && <Box margin={{ bottom: 'l' }}>{failure}</Box>}
        {children(data)}
      </>
    );
  if (error && variant === 'page' && shownError(error).kind === 'notFound') return <ObjectNotFound />;
  if (failure) return failure;
  return variant === 'page' ? <PageSkeleton /> : <PartSkeleton />;
};
