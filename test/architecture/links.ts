import { dirname, join, normalize } from 'node:path';

/** A link or a citation of a document: where it stands, the file it leads to, and the heading there. */
export type Link = { readonly path: string; readonly line: number; readonly label: string; readonly target: string; readonly anchor: string | undefined };

const linesOf = (text: string): readonly string[] => text.split('\n');

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
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

export const anchorsIn = (document: string): ReadonlySet<string> =>
  new Set(
    withoutCode(document)
      .flatMap((line) => /^#{1,6} (.+)$/.exec(line)?.[1] ?? [])
      .map(anchorOf),
  );

/** Citations of a document's section, `docs/specification.md#support`, in any file. */
export const citationsIn = (path: string, text: string): readonly Link[] =>
  linesOf(text).flatMap((line, index) =>
    [...line.matchAll(/\b(docs\/(?:[\w-]+\/)*[\w-]+\.md)#([\p{L}\p{N}_-]+)/gu)].map(([label, target, anchor]) => ({
      path,
      line: index + 1,
      label,
      target: target!,
      anchor,
    })),
  );

/** Relative links of a document. A link to `#anchor` leads to the document itself. */
export const linksIn = (path: string, text: string): readonly Link[] =>
  withoutCode(text).flatMap((line, index) =>
    [...line.matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)].flatMap(([, label, link]) => {
      if (/^[a-z]+:/.test(link!)) return [];
      const [file, anchor] = link!.split('#');
      return [{ path, line: index + 1, label: label!, target: file ? normalize(join(dirname(path), file)) : path, anchor }];
    }),
  );

/** The file that the label of a link names, as in [`log-item.ts`](../core/account-log/log/log-item.ts). */
export const fileNamedIn = ({ label }: Link): string | undefined => /^`((?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|tsx|py|mjs|md|yml|json))`$/.exec(label)?.[1];
