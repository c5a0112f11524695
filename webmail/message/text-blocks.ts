import type { BodyPart } from '../jmap/types.ts';

/** Whether the lines of a text part are flowed (RFC 3676). */
export const isFlowed = (part: BodyPart): boolean => /;\s*format\s*=\s*"?flowed/i.test((part['header:Content-Type'] ?? '').slice(0, 500));

/** A part of a text whose lines have the same depth of quote marks (RFC 3676 §4.5). */
export type TextBlock = { readonly depth: number; readonly lines: readonly string[] };

/** Quote marks beyond which a line is as deep as this. */
const maxDepth = 20;

/** Limits of a text that is shown: each block is an element, and too many hold the browser for minutes. */
const limits = { characters: 1_000_000, blocks: 2_000 };

/** A line without its quote marks. */
export type Line = { readonly depth: number; readonly text: string };

const lineOf = (raw: string, isFlowed: boolean): Line => {
  let [depth, at] = [0, 0];
  for (; raw[at] === '>' || (depth > 0 && raw[at] === ' ' && raw[at + 1] === '>'); at += 1) if (raw[at] === '>') depth += 1;
  const text = raw.slice(at);
  return { depth: Math.min(depth, maxDepth), text: (isFlowed || depth > 0) && text.startsWith(' ') ? text.slice(1) : text };
};

/** The lines of a text, with flowed lines joined (RFC 3676 §4.2). */
export const linesOf = (value: string, isFlowed: boolean): readonly Line[] => {
  const lines: { depth: number; pieces: string[]; isOpen: boolean }[] = [];
  for (const raw of value.split(/\r?\n/)) {
    const { depth, text } = lineOf(raw, isFlowed);
    const isOpen = isFlowed && text.endsWith(' ') && text !== '-- ';
    const last = lines.at(-1);
    if (last?.isOpen && last.depth === depth) {
      last.pieces.push(text);
      last.isOpen = isOpen;
    } else lines.push({ depth, pieces: [text], isOpen });
  }
  return lines.map(({ depth, pieces }) => ({ depth, text: pieces.join('') }));
};

/** The blocks of a text, and whether it is longer than what they show. */
export const textBlocks = (value: string, isFlowed: boolean): { readonly blocks: readonly TextBlock[]; readonly isCut: boolean } => {
  const text = value.trimEnd();
  const blocks: { depth: number; lines: string[] }[] = [];
  for (const line of linesOf(text.slice(0, limits.characters), isFlowed)) {
    const last = blocks.at(-1);
    if (last?.depth === line.depth) last.lines.push(line.text);
    else if (blocks.length === limits.blocks) return { blocks, isCut: true };
    else blocks.push({ depth: line.depth, lines: [line.text] });
  }
  return { blocks, isCut: text.length > limits.characters };
};
