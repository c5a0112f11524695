import { useMemo, type ReactNode } from 'react';
import { words } from '../words/words.ts';
import { textBlocks, type TextFormat } from './text-blocks.ts';

const address = /https?:\/\/[^\s<>"']{1,2000}/g;

/** Maximum links of a block. Each is an element; what follows is text. */
const maxLinks = 2_000;

const withLinks = (text: string): ReactNode => {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(address).take(maxLinks)) {
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

/** A text body. Its quoted text is folded. */
export const PlainText = ({ value, format }: { readonly value: string; readonly format: TextFormat }) => {
  const { blocks, isCut } = useMemo(() => textBlocks(value, format), [value, format]);
  const content = useMemo(() => blocks.map(({ lines }) => withLinks(`${lines.join('\n')}\n`)), [blocks]);
  return (
    <div className="plain-text" dir="auto">
      {blocks.map(({ depth, lines }, index) => {
        const key = `${index}`;
        if (depth === 0) return <div key={key}>{content[index]}</div>;
        return (
          <details key={key} open={lines.length <= 4}>
            <summary>{words.quoted}</summary>
            <blockquote>{content[index]}</blockquote>
          </details>
        );
      })}
      {isCut && <p className="note">{words.cut}</p>}
    </div>
  );
};
