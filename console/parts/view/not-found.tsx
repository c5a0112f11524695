import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMatches, useParams } from 'react-router';
import { PageLink } from '../text/link.tsx';
import { Page } from './page-header.tsx';
import { PlainText } from '../text/plain-text.tsx';
import { words } from '../../words/words.ts';
import { pagesAbove, type ConsolePage } from '../../page/pages.ts';

/** In place of a page whose address no page has. */
export const NotFound = () => (
  <Page title={words.notFound.title}>
    <Box>{words.notFound.text}</Box>
    <PageLink to="/">{words.notFound.action}</PageLink>
  </Page>
);

/** Replaces an object that the API does not have, such as a removed one. */
export const ObjectNotFound = () => {
  const page = useMatches().at(-1)?.handle as ConsolePage | undefined;
  const id = Object.values(useParams()).at(-1);
  const list = page && pagesAbove(page).at(-2);
  if (!page || !list) return <NotFound />;
  return (
    <Page title={words.objectNotFound.title(page.title)}>
      <SpaceBetween size="m">
        <Box>{words.objectNotFound.text} {id && <PlainText text={id} />}</Box>
        <PageLink to={list.path}>{words.objectNotFound.action(list.title)}</PageLink>
      </SpaceBetween>
    </Page>
  );
};
