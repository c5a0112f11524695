import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A test with the requirements that it shows, by their ids. */
export type AnnotatedTest = { readonly file: string; readonly title: string; readonly requirements: readonly string[] };

/** The comment lines above a test that name requirements, and the beginning of the test. */
const annotation = /^(?:[ \t]*\/\/ @requirement .+\n)+(?=[ \t]*(?:test|it|describe)[.(])/gm;
const requirementLine = /\/\/ @requirement (.+)/g;

/** The index after the quoted text that begins at `start`. */
const afterQuoted = (text: string, start: number): number => {
  const quote = text[start]!;
  let index = start + 1;
  while (index < text.length && text[index] !== quote) index += text[index] === '\\' ? 2 : 1;
  return index + 1;
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
  const titleCall = each ? afterBrackets(text, open) : open;
  const quote = text.slice(titleCall).search(/['"`]/) + titleCall;
  return text.slice(quote + 1, afterQuoted(text, quote) - 1).replaceAll(/\\(.)/g, '$1');
};

const annotatedTestsIn = (root: string, file: string): readonly AnnotatedTest[] => {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(annotation)].map(({ 0: comments, index }) => ({
    file,
    title: titleAt(text, index + comments.length),
    requirements: [...comments.matchAll(requirementLine)].map(([, id]) => id!.trim()),
  }));
};

/** All tests with an annotation `// @requirement <id>` above them. @param root the project's folder. */
export const annotatedTests = (root: string): readonly AnnotatedTest[] =>
  readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?:\.test|-suite)\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
    .flatMap((file) => annotatedTestsIn(root, file));
