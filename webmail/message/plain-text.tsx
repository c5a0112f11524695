import { Fragment, type ReactNode } from 'react';
import { words } from '../words/words.ts';

/** A line of text with the depth of its quote marks (RFC 3676 §4.5). */
type Line = { readonly depth: number; readonly text: string };

/** Quote marks beyond which a line is as deep as this: deeper ones would nest elements without end. */
const maxDepth = 20;

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

const address = /https?:\/\/[^\s<>"']{1,2000}/g;

const withLinks = (text: string): ReactNode => {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    const href = found.replace(/[.,;:!?)\]]{1,10}$/, '');
    parts.push(
      text.slice(from, index),
      <a key={index} href={href} target="_blank" rel="noopener noreferrer">
        {href}
      </a>,
    );
    from = index + href.length;
  }
  return [...parts, text.slice(from)];
};

/** A text body. Quoted text at its end is folded. */
export const PlainText = ({ value, isFlowed }: { readonly value: string; readonly isFlowed: boolean }) => {
  const lines = linesOf(value.trimEnd(), isFlowed);
  const blocks: { depth: number; lines: string[] }[] = [];
  for (const { depth, text } of lines) {
    const last = blocks.at(-1);
    if (last?.depth === depth) last.lines.push(text);
    else blocks.push({ depth, lines: [text] });
  }
  return (
    <div className="plain-text" dir="auto">
      {blocks.map((block, index) => {
        const content = block.lines.map((line, at) => (
          <Fragment key={at}>
            {withLinks(line)}
            {'\n'}
          </Fragment>
        ));
        const key = `${index}`;
        if (block.depth === 0) return <div key={key}>{content}</div>;
        return (
          <details key={key} open={block.lines.length <= 4}>
            <summary>{words.quoted}</summary>
            <blockquote>{content}</blockquote>
          </details>
        );
      })}
    </div>
  );
};
