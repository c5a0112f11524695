import { readdirSync } from 'node:fs';
import {
  anchorOf, anchorsIn, citationsIn, codeNamesIn, commentsIn, foreignCitationsIn, pathExists, linksIn, pathsIn, sectionsIn, wideLinesIn,
  type Finding,
} from './documents.ts';
import { filesBelow, root, textOf } from './sources.ts';

const atRoot = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile()).map(({ name }) => name);
const documents = [...atRoot.filter((name) => name.endsWith('.md')), ...filesBelow('docs', ['.md'])].sort();
const code = ['.github', 'bin', 'cli', 'lib', 'contract', 'core', 'lambdas', 'preflight', 'sandbox', 'bench', 'test']
  .flatMap((folder) => filesBelow(folder, ['.ts', '.py', '.mjs', '.md', '.yml', '.lock']))
    .filter((path) => !path.startsWith('test/architecture/documents'));
const files = [...atRoot, ...filesBelow('docs', ['']), ...code];

/** The document that `npm run docs` generates from `contract/`. */
const generated = 'docs/admin-api.md';
const written = documents.filter((path) => path !== generated);

const describeFinding = ({ path, line, found }: Finding): string => `${path}:${line} ${found}`;
const anchors = new Map(documents.map((path) => [path, anchorsIn(textOf(path))]));
const hasAnchor = (document: string, anchor: string): boolean => anchors.get(document)?.has(anchor) === true;

describe('documents', () => {
  test('every section that code or a document cites exists', () => {
    const citations = [...documents, ...code].flatMap((path) => citationsIn(path, textOf(path)));
    expect(citations.filter(({ document, anchor }) => !hasAnchor(document, anchor)).map(describeFinding)).toEqual([]);
    expect(citations.length).toBeGreaterThan(30);
  });

  test('every relative link names an existing file, and every anchor an existing heading', () => {
    const links = documents.flatMap((path) => linksIn(path, textOf(path)));
    const isBroken = ({ target, anchor }: (typeof links)[number]) =>
      !pathExists(target, files) || (anchor !== undefined && target.endsWith('.md') && !hasAnchor(target, anchor));
    expect(links.filter(isBroken).map(describeFinding)).toEqual([]);
    expect(links.length).toBeGreaterThan(50);
  });

  test('every path in backticks, in documents and in comments, names a file or folder of the project', () => {
    const paths = [
      ...written.flatMap((path) => pathsIn(path, textOf(path))),
      ...code.flatMap((path) => pathsIn(path, path.endsWith('.md') ? textOf(path) : commentsIn(textOf(path)))),
    ];
    expect(paths.filter(({ found }) => !pathExists(found, files)).map(describeFinding)).toEqual([]);
    expect(paths.length).toBeGreaterThan(50);
  });

  test('every name in mixed case that a document has in backticks occurs in code', () => {
    const words = new Set(code.flatMap((path) => textOf(path).match(/\w+/g) ?? []));
    const names = written.flatMap((path) => codeNamesIn(path, textOf(path)));
    expect(names.filter(({ found }) => !words.has(found)).map(describeFinding)).toEqual([]);
    expect(names.length).toBeGreaterThan(100);
  });

  test('neither code nor a document cites a specification that is not in the repository', () => {
    expect([...documents, ...code].flatMap((path) => foreignCitationsIn(path, textOf(path))).map(describeFinding)).toEqual([]);
  });

  test('prose is at most 120 columns wide', () => {
    expect(written.flatMap((path) => wideLinesIn(path, textOf(path))).map(describeFinding)).toEqual([]);
  });
});

describe('decisions', () => {
  const index = 'docs/decisions/README.md';
  const decisions = documents.filter((path) => path.startsWith('docs/decisions/') && path !== index);
  /** Maximum number of decisions, and maximum lines of one decision. */
  const most = { decisions: 40, lines: 60 } as const;

  test('are few', () => {
    expect(decisions.length).toBeGreaterThan(0);
    expect(decisions.length).toBeLessThanOrEqual(most.decisions);
  });

  test('are short', () => {
    const long = decisions.map((path) => ({ path, lines: textOf(path).split('\n').length - 1 })).filter(({ lines }) => lines > most.lines);
    expect(long).toEqual([]);
  });

  test('have the same four sections', () => {
    const sections = ['Context', 'Decision', 'What it costs', 'What holds it'];
    expect(decisions.map((path) => [path, sectionsIn(textOf(path))])).toEqual(decisions.map((path) => [path, sections]));
  });

  test('are linked once each from their index', () => {
    expect(linksIn(index, textOf(index)).map(({ target }) => target).filter((target) => target.startsWith('docs/decisions/')).sort())
      .toEqual(decisions);
  });
});

describe('the checks of documents', () => {
  test('spell an anchor as GitHub does', () => {
    expect(anchorOf('URLs and routes')).toBe('urls-and-routes');
    expect(anchorOf('6. Learn of changes')).toBe('6-learn-of-changes');
    expect(anchorOf('`AddDomain`, once more')).toBe('adddomain-once-more');
    expect([...anchorsIn('# One\n```\n# no heading\n```\n### Two')]).toEqual(['one', 'two']);
  });

  test('find a citation with its section and a link with its target', () => {
    expect(citationsIn('a.ts', '/** (docs/specification.md#support). */')).toMatchObject([
      { document: 'docs/specification.md', anchor: 'support', line: 1 },
    ]);
    expect(linksIn('docs/a.md', '\n[b](../lib/b.ts) [c](#c) [d](https://d.example)')).toMatchObject([
      { target: 'lib/b.ts', line: 2 }, { target: 'docs/a.md', anchor: 'c' },
    ]);
  });

  test('find the sections of a document, and a citation of a section in a folder of documents', () => {
    expect(sectionsIn('# One\n## Two\n```\n## no heading\n```\n### Three\n## Four')).toEqual(['Two', 'Four']);
    expect(citationsIn('a.ts', '// docs/decisions/a-b.md#context')).toMatchObject([{ document: 'docs/decisions/a-b.md', anchor: 'context' }]);
  });

  test('find a path, and check whether it exists', () => {
    const found = pathsIn('a.md', 'See `core/mime/`, `documents.ts` and `page_size`; `contract/admin/<service>.ts`.')
      .map((path) => path.found);
    expect(found).toEqual(['core/mime/', 'documents.ts', 'contract/admin/<service>.ts']);
    expect(found.map((path) => pathExists(path, [...files, 'test/architecture/documents.ts']))).toEqual([true, true, true]);
    expect(pathExists('core/nowhere/', files)).toBe(false);
    expect(pathExists('core/mime/nothing.ts', files)).toBe(false);
    expect(pathExists('nothing-of-the-kind.ts', files)).toBe(false);
    expect(pathExists('contract/<service>/nothing.ts', files)).toBe(false);
  });

  test('find a name of code, but no word of prose or of the wire format', () => {
    expect(codeNamesIn('a.md', 'See `deliverMessage`, `core.maxBodySize`, `page_size` and `head`.').map(({ found }) => found))
      .toEqual(['deliverMessage', 'maxBodySize']);
  });

  test('separate comments from code', () => {
    expect(
      commentsIn("/**\n * `one`\n */\nconst two = `two`;\n  // three\n/* four */\nfive();").split('\n').map((line) => line !== ''),
    ).toEqual(
      [true, true, true, false, true, true, false]);
  });

  test('find a wide line, unless it is a table, code, or wide by a link’s target', () => {
    const wide = 'x'.repeat(121);
    expect(wideLinesIn('a.md', `${wide}\n| ${wide} |\n    ${wide}\n[a](${wide})\n`))
      .toEqual([{ path: 'a.md', line: 1, found: '121 columns' }]);
  });

  test('find a citation of another specification', () => {
    expect(foreignCitationsIn('a.ts', '/** (spec: Limits), docs/choices.md §1 */')).toHaveLength(2);
  });
});
