import type { BodyPart } from '../jmap/types.ts';

/** The way in which the lines of a text are joined (RFC 3676 §4): flowed ones keep the blank at their end, or do not (DelSp). */
export type TextFormat = 'fixed' | 'flowed' | 'delSp';

/** The format of a text part. */
export const formatOf = (part: BodyPart): TextFormat => {
  const type = (part['header:Content-Type'] ?? '').slice(0, 500);
  if (!/;\s*format\s*=\s*"?flowed/i.test(type)) return 'fixed';
  return /;\s*delsp\s*=\s*"?yes/i.test(type) ? 'delSp' : 'flowed';
};

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
export const linesOf = (value: string, format: TextFormat): readonly Line[] => {
  const isFlowed = format !== 'fixed';
  const lines: { depth: number; pieces: string[]; isOpen: boolean }[] = [];
  for (const raw of value.split(/\r?\n/)) {
    const { depth, text } = lineOf(raw, isFlowed);
    const isSignature = text === '-- ';
    const isOpen = isFlowed && text.endsWith(' ') && !isSignature;
    const piece = isOpen && format === 'delSp' ? text.slice(0, -1) : text;
    const last = lines.at(-1);
    // An empty line ends a paragraph, also one whose last line ends in a blank by mistake.
    if (last?.isOpen && last.depth === depth && !isSignature && text !== '') {
      last.pieces.push(piece);
      last.isOpen = isOpen;
    } else lines.push({ depth, pieces: [piece], isOpen });
  }
  return lines.map(({ depth, pieces, isOpen }) => ({ depth, text: isOpen ? pieces.join('').trimEnd() : pieces.join('') }));
};

/** The blocks of a text, and whether it is longer than what they show. */
export const textBlocks = (value: string, format: TextFormat): { readonly blocks: readonly TextBlock[]; readonly isCut: boolean } => {
  const text = value.trimEnd();
  const blocks: { depth: number; lines: string[] }[] = [];
  for (const line of linesOf(text.slice(0, limits.characters), format)) {
    const last = blocks.at(-1);
    if (last?.depth === line.depth) last.lines.push(line.text);
    else if (blocks.length === limits.blocks) return { blocks, isCut: true };
    else blocks.push({ depth: line.depth, lines: [line.text] });
  }
  return { blocks, isCut: text.length > limits.characters };
};
