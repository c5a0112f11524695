import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A test and the ids of its requirements and pitfalls. `title` begins with the titles of its groups, as in Jest. */
export type AnnotatedTest = { readonly file: string; readonly title: string; readonly ids: readonly string[] };

/** The tests that show each requirement or pitfall, by its id. */
export type TestsById = ReadonlyMap<string, readonly AnnotatedTest[]>;

/** Comment lines that name requirements or pitfalls, above a test, a group, or a row of a table of tests. */
const annotation = /^(?:[ \t]*\/\/ @(?:requirement|pitfall) .+\n)+(?=[ \t]*(?:(?:test|it|describe)[.(]|\[|['"`]))/gm;
const annotationLine = /\/\/ @(?:requirement|pitfall) (.+)/g;

/** The index after the quoted text that begins at `start`. */
const afterQuoted = (text: string, start: number): number => {
  const quote = text[start]!;
  let index = start + 1;
  while (index < text.length && text[index] !== quote) index += text[index] === '\\' ? 2 : 1;
  return index + 1;
};

/** The first quoted text after `start`, without escapes. */
const quotedAfter = (text: string, start: number): string => {
  const quote = text.slice(start).search(/['"`]/) + start;
  return text.slice(quote + 1, afterQuoted(text, quote) - 1).replaceAll(/\\(.)/g, '$1');
};

/** The index after the bracket that closes the one at `start`. Quoted text and comments have no brackets. */
const afterBrackets = (text: string, start: number): number => {
  let depth = 0;
  for (let index = start; index < text.length;) {
    const character = text[index]!;
    if ('\'"`'.includes(character)) index = afterQuoted(text, index);
    else if (text.startsWith('//', index)) index = text.indexOf('\n', index);
    else {
      if ('([{'.includes(character)) depth++;
      if (')]}'.includes(character)) depth--;
      index++;
      if (depth === 0) return index;
    }
  }
  return text.length;
};

/** The title of the test or group that begins at `start`: `test('…'`, `describe('…'`, or `test.each(…)('…'`. */
const titleAt = (text: string, start: number): string => {
  const [call, each] = /^\s*\w+(\.each(?:<[\s\S]*?>)?)?\(/.exec(text.slice(start))!;
  const open = start + call.length - 1;
  return quotedAfter(text, each ? afterBrackets(text, open) : open);
};

/** The titles of the groups around `start`, outermost first. A group has less indentation than its content. */
const groupsAround = (text: string, start: number): readonly string[] => {
  const groups: string[] = [];
  let indentation = /^[ \t]*/.exec(text.slice(start))![0].length;
  for (const { 0: begin, index } of [...text.slice(0, start).matchAll(/^[ \t]*(?=describe[.(])/gm)].toReversed()) {
    if (begin.length >= indentation) continue;
    groups.unshift(titleAt(text, index));
    indentation = begin.length;
  }
  return groups;
};

/** The title of the test at `start`. A row of a table has the title of the table's test, with the row's first text in it. */
const fullTitleAt = (text: string, start: number): string => {
  if (/^\s*(?:test|it|describe)[.(]/.test(text.slice(start))) return [...groupsAround(text, start), titleAt(text, start)].join(' ');
  const table = text.slice(0, start).match(/[\s\S]*^(?=[ \t]*(?:test|it)\.each)/m)![0].length;
  return [...groupsAround(text, table), titleAt(text, table).replace(/%\w/, () => quotedAfter(text, start))].join(' ');
};

const annotatedTestsIn = (root: string, file: string): readonly AnnotatedTest[] => {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(annotation)].map(({ 0: comments, index }) => ({
    file,
    title: fullTitleAt(text, index + comments.length),
    ids: [...comments.matchAll(annotationLine)].map(([, id]) => id!.trim()),
  }));
};

/** All tests with an annotation `// @requirement <id>` or `// @pitfall <id>` above them. @param root the project's folder. */
export const annotatedTests = (root: string): readonly AnnotatedTest[] =>
  readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?:\.test|-suite)\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
    .flatMap((file) => annotatedTestsIn(root, file));

export const testsById = (annotated: readonly AnnotatedTest[]): TestsById => {
  const entries = annotated.flatMap((test) => test.ids.map((id) => [id, test] as const));
  return new Map([...Map.groupBy(entries, ([id]) => id)].map(([id, each]) => [id, each.map(([, test]) => test)]));
};

/** Text as a cell of a table in Markdown. */
export const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

/** The links to the tests that show a requirement or a pitfall, for a cell of a table. */
export const testLinks = (id: string, tests: TestsById): string =>
  tests
    .get(id)
    ?.map(({ file, title }) => `[${inCell(title)}](../${file})`)
    .join('<br>') ?? 'no test';
