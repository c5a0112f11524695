import { globSync } from 'node:fs';
import { join } from 'node:path';
import { helpWords } from '../../console/words/help.ts';
import { consolePaths, parameterOf } from './console-routes.ts';

test('the list of paths has each page of the console once', () => {
  const files = globSync('pages/**/*-page.tsx', { cwd: join(import.meta.dirname, '..', '..', 'console') });
  expect(consolePaths).toHaveLength(files.length);
  expect(new Set(consolePaths).size).toBe(files.length);
  expect(consolePaths).toEqual(expect.arrayContaining(['/', '/users', '/domains/:domainId']));
});

test('the name of the id in a path is found', () => {
  expect(parameterOf('/domains/:domainId')).toBe('domainId');
  expect(parameterOf('/domains')).toBeUndefined();
});

test('each page of the console has help, and every help text belongs to an existing page', () => {
  expect(Object.keys(helpWords).sort()).toEqual(consolePaths);
});
