import type { EmailAddress, Mailbox } from '../jmap/types.ts';
import { mailboxTree } from '../mailboxes/mailbox-tree.ts';
import { personName, shownAddress } from '../words/words.ts';
import { comparedName, mailboxPath } from './mailbox-names.ts';
import { placedTerms, searchOperators, textOf, type PlacedTerm } from './search-terms.ts';
import { anywhere, stateNames, type Label } from './search-text.ts';

/** What a completion shows, and the whole text and the caret that it leads to. */
export type Completion = { readonly label: string; readonly insert: { readonly text: string; readonly caret: number } };

export type Completable = { readonly mailboxes: readonly Mailbox[]; readonly labels: readonly Label[]; readonly people: readonly EmailAddress[] };

const maxCompletions = 8;

type Candidate = { readonly label: string; readonly value: string };

const plain = (values: readonly string[]): readonly Candidate[] => values.map((value) => ({ label: value, value }));

const personLabel = (person: EmailAddress): string => {
  const [name, address] = [personName(person), shownAddress(person.email)];
  return name === address ? address : `${name} <${address}>`;
};

const peopleOf = (people: readonly EmailAddress[]): readonly Candidate[] => [
  ...new Map(people.map((person) => [person.email.toLowerCase(), { label: personLabel(person), value: person.email }])).values(),
];

const mailboxesOf = (mailboxes: readonly Mailbox[]): readonly Candidate[] => {
  const byId = new Map(mailboxes.map((mailbox) => [mailbox.id, mailbox]));
  return plain([...mailboxTree(mailboxes).map(({ mailbox }) => mailboxPath(mailbox, byId)), anywhere]);
};

/** The values that an operator has to offer. */
const candidatesOf = (operator: PlacedTerm['operator'], { mailboxes, labels, people }: Completable): readonly Candidate[] => {
  if (operator === 'from' || operator === 'to' || operator === 'cc') return peopleOf(people);
  if (operator === 'in') return mailboxesOf(mailboxes);
  if (operator === 'label') return plain(labels.map(({ name }) => name));
  if (operator === 'is') return plain(stateNames);
  if (operator === 'has') return plain(['attachment']);
  if (operator === 'before' || operator === 'after') return plain(['today', 'yesterday', '7d', '1m', '1y']);
  return [];
};

/** Candidates that contain what was typed. Those with a word that begins with it come first. */
const matching = (candidates: readonly Candidate[], typed: string): readonly Candidate[] => {
  const wanted = comparedName(typed);
  const [first, others]: [Candidate[], Candidate[]] = [[], []];
  for (const candidate of candidates) {
    const searched = comparedName(candidate.label === candidate.value ? candidate.label : `${candidate.label} ${candidate.value}`);
    if (` ${searched}`.includes(` ${wanted}`)) first.push(candidate);
    else if (searched.includes(wanted)) others.push(candidate);
  }
  return [...first, ...others];
};

const termAt = (text: string, caret: number): PlacedTerm | undefined => {
  for (const term of placedTerms(text)) {
    if (term.start >= caret) return undefined;
    if (caret <= term.end) return term;
  }
  return undefined;
};

/** Completes the word at the caret: a plain word to an operator, else the value of its operator. */
export const completions = (text: string, caret: number, completable: Completable): readonly Completion[] => {
  const term = termAt(text, caret);
  if (!term || caret < term.valueStart) return [];
  const before = text.slice(0, term.start);
  const after = text.slice(term.isUnclosed ? caret : term.end);
  const typed = text.slice(term.valueStart, caret);
  if (term.operator === 'text') {
    const sign = term.isNegated ? '-' : '';
    return searchOperators
      .filter((operator) => typed !== '' && operator.startsWith(typed.toLowerCase()))
      .map((operator) => {
        const begun = `${before}${sign}${operator}:`;
        return { label: `${operator}:`, insert: { text: begun + after, caret: begun.length } };
      });
  }
  const { operator, isNegated } = term;
  return matching(candidatesOf(operator, completable), typed.replace(/^["“„”]/, ''))
    .filter(({ value }) => value !== term.value)
    .slice(0, maxCompletions)
    .map(({ label, value }) => {
      const done = `${before}${textOf([{ operator, value, isNegated }])}`;
      return { label, insert: { text: `${done}${/^\s/.test(after) ? '' : ' '}${after}`, caret: done.length + 1 } };
    });
};
