import { Alert, Button } from '@cloudscape-design/components';
import { lazy } from 'react';
import { createBrowserRouter, useRouteError, type RouteObject } from 'react-router';
import { LoadFailed } from '../page/load-part.tsx';
import { pages } from '../page/pages.ts';
import { NotFound, Page } from '../parts/view/page.tsx';
import { words } from '../words/words.ts';
import { Shell } from './shell.tsx';

/** Replaces a page that can't be shown, for example because a newer version replaced its files. */
const PageFailed = () => {
  const error = useRouteError();
  return (
    <Page title={words.pageFailed.title}>
      <Alert type="error" action={<Button onClick={() => window.location.reload()}>{words.pageFailed.action}</Button>}>
        <LoadFailed />
        {error instanceof Error && <div>{error.message}</div>}
      </Alert>
    </Page>
  );
};

/** Every page of the console by its path, loaded when it is opened for the first time. */
const routes: RouteObject[] = pages.map((page) => ({
  path: page.path,
  handle: page,
  ErrorBoundary: PageFailed,
  Component: lazy(async () => ({ default: await page.load() })),
}));

export const createRouter = () => createBrowserRouter([{ path: '/', Component: Shell, children: [...routes, { path: '*', Component: NotFound }] }]);
