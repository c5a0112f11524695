import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { anchorOf, anchorsIn, citationsIn, fileNamedIn, linksIn, type Link } from './links.ts';
import { filesBelow, root, textOf } from './sources.ts';

const documents = [...readdirSync(root).filter((name) => name.endsWith('.md')), ...filesBelow('docs', ['.md'])].sort();
const code = ['.github', 'bin', 'cli', 'console', 'lib', 'contract', 'core', 'lambdas', 'people', 'preflight', 'sandbox', 'bench', 'site', 'test', 'webmail']
  .flatMap((folder) => filesBelow(folder, ['.ts', '.tsx', '.py', '.mjs', '.md', '.yml']))
  .filter((path) => !path.startsWith('test/architecture/links'));

const anchors = new Map(documents.map((path) => [path, anchorsIn(textOf(path))]));
const leadsNowhere = ({ target, anchor }: Link): boolean =>
  !existsSync(join(root, target)) || (anchor !== undefined && target.endsWith('.md') && anchors.get(target)?.has(anchor) !== true);
const inWords = ({ path, line, label, target, anchor = '' }: Link): string => `${path}:${line} [${label}] ${target}#${anchor}`;

const links = documents.flatMap((path) => linksIn(path, textOf(path)));

test('every link of a document leads to a file, and to a heading when it names one', () => {
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter(leadsNowhere).map(inWords)).toEqual([]);
});

test('a link whose text is the name of a file leads to that file', () => {
  const misleading = links.filter((link) => {
    const named = fileNamedIn(link);
    return named !== undefined && link.target !== named && !link.target.endsWith(`/${named}`);
  });
  expect(misleading.map(inWords)).toEqual([]);
});

test('every section that code or a document cites exists', () => {
  const citations = [...documents, ...code].flatMap((path) => citationsIn(path, textOf(path)));
  expect(citations.length).toBeGreaterThan(30);
  expect(citations.filter(leadsNowhere).map(inWords)).toEqual([]);
});

describe('the checks of links', () => {
  test('spell an anchor as GitHub does', () => {
    expect(anchorOf('URLs and routes')).toBe('urls-and-routes');
    expect(anchorOf('`AddDomain`, once more')).toBe('adddomain-once-more');
    expect([...anchorsIn('# One\n```\n# no heading\n```\n### Two')]).toEqual(['one', 'two']);
  });

  test('find a citation with its section, and a link with its target and the file that it names', () => {
    expect(citationsIn('a.ts', '/** (docs/specification.md#support). */')).toMatchObject([{ target: 'docs/specification.md', anchor: 'support', line: 1 }]);
    const found = linksIn('docs/a.md', '\n[`b.ts`](../lib/b.ts) [c](#c) [d](https://d.example)');
    expect(found).toMatchObject([
      { target: 'lib/b.ts', line: 2 },
      { target: 'docs/a.md', anchor: 'c' },
    ]);
    expect(found.map(fileNamedIn)).toEqual(['b.ts', undefined]);
  });
});
