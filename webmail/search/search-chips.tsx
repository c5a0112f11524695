import { searchWords } from '../words/words.ts';
import { isSameTerm } from './search-terms.ts';
import { parseSearch, textOf, type SearchTerm } from './search-text.ts';

const term = (operator: SearchTerm['operator'], value: string): SearchTerm => ({ operator, value, isNegated: false });

const dates: readonly SearchTerm[] = [term('after', '7d'), term('after', '1m')];

/** Terms that have a button of their own. */
const offered: readonly { readonly label: string; readonly term: SearchTerm }[] = [
  { label: searchWords.unread, term: term('is', 'unread') },
  { label: searchWords.flagged, term: term('is', 'flagged') },
  { label: searchWords.hasAttachment, term: term('has', 'attachment') },
  { label: searchWords.lastWeek, term: dates[0]! },
  { label: searchWords.lastMonth, term: dates[1]! },
];

const isIn = (terms: readonly SearchTerm[], wanted: SearchTerm): boolean => terms.some((each) => isSameTerm(each, wanted));

/** The terms with this one, or without it if they have it. One of the offered dates takes the place of the other. */
const toggled = (terms: readonly SearchTerm[], pressed: SearchTerm): readonly SearchTerm[] => {
  if (isIn(terms, pressed)) return terms.filter((each) => !isSameTerm(each, pressed));
  return [...(isIn(dates, pressed) ? terms.filter((each) => !isIn(dates, each)) : terms), pressed];
};

export type SearchChipsProps = {
  /** The text in the box, which may not be searched yet. */
  readonly draft: string;
  /** The text that is searched. */
  readonly text: string;
  readonly isHere: boolean;
  readonly mailboxName: string | undefined;
  readonly onChange: (text: string, isHere: boolean) => void;
  /** Moves the focus into the box. */
  readonly focusBox: () => void;
};

/** Buttons that add a term to a search or take it out, and those that choose where to search. */
export const SearchChips = ({ draft, text, isHere, mailboxName, onChange, focusBox }: SearchChipsProps) => {
  const terms = parseSearch(draft);
  const hasMailbox = terms.some(({ operator, isNegated }) => operator === 'in' && !isNegated);
  const searched = parseSearch(text).filter(
    (each, index, all) =>
      each.operator !== 'text' &&
      isIn(terms, each) &&
      !offered.some((offer) => isSameTerm(offer.term, each)) &&
      all.findIndex((other) => isSameTerm(other, each)) === index,
  );
  const chip = (label: string, pressed: SearchTerm) => (
    <button
      key={textOf([pressed])}
      type="button"
      className="chip"
      aria-pressed={isIn(terms, pressed)}
      onClick={({ currentTarget }) => {
        // The button of a term that is not offered goes away with it.
        if (document.activeElement === currentTarget && isIn(searched, pressed)) focusBox();
        onChange(textOf(toggled(terms, pressed)), isHere);
      }}
    >
      <bdi>{label}</bdi>
    </button>
  );
  const place = (label: string, here: boolean) => (
    <button
      type="button"
      className="chip"
      aria-pressed={!hasMailbox && isHere === here}
      onClick={() => onChange(textOf(terms.filter(({ operator, isNegated }) => operator !== 'in' || isNegated)), here)}
    >
      <bdi>{label}</bdi>
    </button>
  );
  return (
    <>
      <div role="group" aria-label={searchWords.narrow}>
        {offered.map((offer) => chip(offer.label, offer.term))}
        {searched.map((each) => chip(textOf([each]), each))}
      </div>
      {mailboxName !== undefined && (
        <div role="group" aria-label={searchWords.where}>
          {place(searchWords.everywhere, false)}
          {place(searchWords.inMailbox(mailboxName), true)}
        </div>
      )}
    </>
  );
};
