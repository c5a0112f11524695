import { Button } from '@cloudscape-design/components';
import { useState, type ReactNode } from 'react';
import { words } from '../../words/words.ts';
import { Isolated } from './isolated.tsx';

/** Maximum characters of a text before it is collapsed. */
const shownLength = 300;

/**
 * A text from outside the console, shown unchanged. Its text direction and combining marks do not affect the page (UAX
 * #9), and it may wrap anywhere. A button shows the rest of a long text.
 */
export const PlainText = ({ text }: { readonly text: string }) => {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > shownLength;
  return (
    <>
      <Isolated className="plain-text">{isLong && !isWhole ? `${text.slice(0, shownLength)} …` : text}</Isolated>
      {isLong && (
        <>
          {' '}
          <Button variant="inline-link" ariaExpanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? words.text.less : words.text.all(text.length)}
          </Button>
        </>
      )}
    </>
  );
};

const isNothing = (value: ReactNode): boolean => value === undefined || value === null || value === '' || value === false;

/** A value in a list's cell: a text from outside is truncated to the cell's width. */
export const cellValue = (value: ReactNode): ReactNode => {
  if (isNothing(value)) return words.details.none;
  return typeof value === 'string' ? <Isolated>{value.length > shownLength ? `${value.slice(0, shownLength)} …` : value}</Isolated> : value;
};

/** A value of a detail. Text is shown as {@link PlainText}. */
export const shownValue = (value: ReactNode): ReactNode => {
  if (isNothing(value)) return words.details.none;
  return typeof value === 'string' ? <PlainText text={value} /> : value;
};
