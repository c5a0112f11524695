import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemKinds } from '../../contract/admin/problems.ts';
import { problemsDocument } from '../conformance/problems-document.ts';
import { consolePaths } from '../console/console-routes.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');

test('docs/problems.md is what npm run docs writes', () => {
  expect(readFileSync(join(docs, 'problems.md'), 'utf8')).toBe(problemsDocument());
});

test('each problem links to a page of the console and a paragraph of the runbook that exist', () => {
  const headings = [...readFileSync(join(docs, 'operator-runbook.md'), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  );
  const kinds = Object.values(problemKinds);
  expect(kinds.map(({ runbook }) => runbook).filter((anchor) => !headings.includes(anchor))).toEqual([]);
  expect(kinds.map(({ console_path: path }) => path).filter((path) => !consolePaths.includes(path))).toEqual([]);
});
