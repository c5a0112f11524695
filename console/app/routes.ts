import { lazy } from 'react';
import { createBrowserRouter, type RouteObject } from 'react-router';
import { NotFound } from '../parts/view/not-found.tsx';
import { PageFailed } from './page-failed.tsx';
import { pages } from '../page/pages.ts';
import { Shell } from './shell.tsx';

/** Every page of the console by its path, loaded when it is opened for the first time. */
const routes: RouteObject[] = pages.map((page) => ({
  path: page.path, handle: page, ErrorBoundary: PageFailed, Component: lazy(async () => ({ default: await page.load() })),
}));

export const createRouter = () => createBrowserRouter([{ path: '/', Component: Shell, children: [...routes, { path: '*', Component: NotFound }] }]);
