import Button from '@cloudscape-design/components/button';
import { useState, type ReactNode } from 'react';
import { words } from '../../words/words.ts';

/** Characters of a text that are shown at first. */
const shownLength = 300;

/**
 * A text from outside, shown unchanged. Its direction and marks do not affect the page (UAX #9), and it wraps anywhere.
 * The rest of a long text is shown on request.
 */
export const PlainText = ({ text }: { readonly text: string }) => {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > shownLength;
  return (
    <>
      <bdi className="plain-text">{isLong && !isWhole ? `${text.slice(0, shownLength)} …` : text}</bdi>
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
  return typeof value === 'string' ? <bdi>{value.length > shownLength ? `${value.slice(0, shownLength)} …` : value}</bdi> : value;
};

/** A value of details: a text by itself is shown as {@link PlainText}. */
export const shownValue = (value: ReactNode): ReactNode => {
  if (isNothing(value)) return words.details.none;
  return typeof value === 'string' ? <PlainText text={value} /> : value;
};
