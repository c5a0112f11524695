import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from './sources.ts';

/** A text in a file: path, line number from 1, and the text or the problem. */
export type Finding = { readonly path: string; readonly line: number; readonly found: string };

/** Maximum columns of a line of prose in a document. */
const widest = 120;

const linesOf = (text: string): readonly string[] => text.split('\n');

const finding = (path: string, index: number, found: string): Finding => ({ path, line: index + 1, found });

/**
 * The text with empty lines instead of code blocks, fenced or indented by four spaces, so that line numbers are
 * unchanged.
 */
const withoutCode = (text: string): string[] => {
  let fenced = false;
  return linesOf(text).map((line) => {
    if (line.startsWith('```')) {
      fenced = !fenced;
      return '';
    }
    return fenced || line.startsWith('    ') ? '' : line;
  });
};

/** The anchor that GitHub gives to a heading. */
export const anchorOf = (heading: string): string =>
  heading.trim().toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');

export const anchorsIn = (document: string): ReadonlySet<string> =>
  new Set(withoutCode(document).flatMap((line) => /^#{1,6} (.+)$/.exec(line)?.[1] ?? []).map(anchorOf));

/** The headings of the second level, in the order of the document. */
export const sectionsIn = (document: string): readonly string[] =>
  withoutCode(document).flatMap((line) => /^## (.+)$/.exec(line)?.[1] ?? []);

/** Citations of a document's section, `docs/specification.md#support`, in any file. */
export const citationsIn = (path: string, text: string): readonly (Finding & { readonly document: string; readonly anchor: string })[] =>
  linesOf(text).flatMap((line, index) => [...line.matchAll(/\b(docs\/(?:[\w-]+\/)*[\w-]+\.md)#([\p{L}\p{N}_-]+)/gu)]
    .map(([found, document, anchor]) => ({ ...finding(path, index, found), document: document!, anchor: anchor! })));

/** Relative links of a document, with the file that each leads to (the document itself for `#anchor`). */
export const linksIn = (path: string, text: string): readonly (Finding & {
  readonly target: string;
  readonly anchor: string | undefined;
})[] =>
  withoutCode(text).flatMap((line, index) => [...line.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => {
    if (/^[a-z]+:/.test(link!)) return [];
    const [file, anchor] = link!.split('#');
    return [{ ...finding(path, index, link!), target: file ? normalize(join(dirname(path), file)) : path, anchor }];
  }));

const folders = 'bin|cli|lib|contract|core|lambdas|sandbox|console|bench|docs|test';
/**
 * Paths such as `core/account-index/commit.ts` or `lambdas/admin/<service>/`. A `*` or `<word>` stands for any name.
 */
const projectPath = new RegExp(`^(?:${folders})/[\\w./<>*-]*$`);
/** File names, such as `commit.ts` or `support-trips.test.ts`: the last part of a path. */
const fileName = /^[\w-]+(?:\.[\w-]+)*\.(?:ts|py|mjs)$/;

/** Names of files and folders of the project in the backticks of a document or comment. */
export const pathsIn = (path: string, text: string): readonly Finding[] =>
  linesOf(text).flatMap((line, index) => [...line.matchAll(/`([^`\s]+)`/g)].map(([, quoted]) => quoted!)
    .filter((quoted) => projectPath.test(quoted) || fileName.test(quoted)).map((quoted) => finding(path, index, quoted)));

/** The comment lines of a file of code. Other lines are empty. */
export const commentsIn = (text: string): string => {
  let inBlock = false;
  return linesOf(text).map((line) => {
    const opens = /^\s*\/\*/.test(line);
    const isComment = inBlock || opens || /^\s*(?:\/\/|#)/.test(line);
    inBlock = (inBlock || opens) && !line.includes('*/');
    return isComment ? line : '';
  }).join('\n');
};

/** Whether a path from {@link pathsIn} names a file or folder. @param files all files of the project. */
export const pathExists = (named: string, files: readonly string[]): boolean => {
  if (!named.includes('/')) return files.some((file) => file.endsWith(`/${named}`) || file === named);
  if (!/[<*]/.test(named)) return existsSync(join(root, named));
  const pattern = named.replaceAll('.', '\\.').replaceAll(/<[^>]+>|\*/g, '[^/]+');
  return files.some((file) => new RegExp(`^${pattern}${named.endsWith('/') ? '' : '$'}`).test(file));
};

/** Names in mixed case in a document's backticks, such as `deliverMessage`: functions, types, fields and methods. */
export const codeNamesIn = (path: string, text: string): readonly Finding[] => withoutCode(text).flatMap((line, index) =>
  [...line.matchAll(/`([A-Za-z]+(?:\.[A-Za-z]+)*)`/g)].flatMap(([, quoted]) => quoted!.split('.'))
    .filter((name) => /[a-z][A-Z]/.test(name)).map((name) => finding(path, index, name)));

/** Lines of prose beyond {@link widest} columns. Tables are not prose, and targets of links do not count. */
export const wideLinesIn = (path: string, text: string): readonly Finding[] => withoutCode(text).flatMap((line, index) => {
  const length = Array.from(line.replaceAll(/\]\([^)]*\)/g, ']')).length;
  return line.startsWith('|') || length <= widest ? [] : [finding(path, index, `${length} columns`)];
});

/** Citations of documents that are not in the repository. */
export const foreignCitationsIn = (path: string, text: string): readonly Finding[] =>
  linesOf(text).flatMap(
    (line, index) => [...line.matchAll(/\b(?:spec: |choices\.md|silences §)/gi)].map(([found]) => finding(path, index, found)),
  );
