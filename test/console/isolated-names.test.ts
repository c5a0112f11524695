import { accountWords } from '../../console/words/pages/accounts.ts';
import { activityWords } from '../../console/words/pages/activity.ts';
import { domainWords } from '../../console/words/pages/domains.ts';
import { forwardingWords } from '../../console/words/pages/forwarding.ts';
import { changeRequestWords, connectWords, supportWords } from '../../console/words/pages/operations.ts';
import { feedbackWords, senderWords, suppressionWords } from '../../console/words/pages/sending.ts';
import { addressWords, importWords, inviteWords, resetWords, secondFactorWords, temporaryPasswordWords, userWords } from '../../console/words/pages/users.ts';
import { words } from '../../console/words/words.ts';
import { filesBelow, textOf } from '../architecture/sources.ts';

/** A name that closes an isolate, and turns around the text after it. */
const hostile = 'Ada\u2069\u202E';

/** The characters outside isolates. */
const outside = (text: string): string => {
  let depth = 0;
  return Array.from(text)
    .filter((character) => {
      if (/[\u2066-\u2068]/.test(character)) depth += 1;
      const isOutside = depth === 0;
      if (character === '\u2069') depth -= 1;
      return isOutside;
    })
    .join('');
};

/** The functions in a table of words, each with its path. The last arguments of some are numbers. */
const functionsIn = (value: unknown, path: string): [string, (...args: unknown[]) => unknown][] => {
  if (typeof value === 'function') return [[path, value as (...args: unknown[]) => unknown]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => functionsIn(each, `${path}.${name}`));
};

const tables = {
  accountWords,
  activityWords,
  addressWords,
  changeRequestWords,
  connectWords,
  domainWords,
  feedbackWords,
  forwardingWords,
  importWords,
  inviteWords,
  resetWords,
  secondFactorWords,
  senderWords,
  supportWords,
  suppressionWords,
  temporaryPasswordWords,
  userWords,
  words,
};

/** Functions whose texts are words or numbers of the console itself, or a text to copy with a line for each value. */
const ownTexts =
  /^(?:accountWords\.(?:upTo|of|free|nearlyFull|removedSoFar)|activityWords\.(?:more|counted|recipientCount|octets)|connectWords\.message|supportWords\.(?:for|left)|suppressionWords\.(?:counts|bounced|complain\w+|clearComplaintText)|auditWords\.anyOf|domainWords\.(?:looksAgain|\w+\.(?:preview|applied|step\w*))|words\.(?:text\.all|objectNotFound\..*|errors\..*|list\.(?:lines|matches|page)))$/;

const withNames = Object.entries(tables)
  .flatMap(([name, table]) => functionsIn(table, name))
  .filter(([path]) => !ownTexts.test(path));

test('the check finds the words with names', () => {
  expect(withNames.length).toBeGreaterThan(40);
});

test.each(withNames)('%s keeps the direction of a name to the name', (_, write) => {
  const list = [hostile];
  const text = String(write === userWords.remains ? write(list, list) : write(hostile, hostile));
  expect(outside(text)).not.toMatch(/\p{Bidi_Control}/u);
});

test('an element that isolates its text closes the isolates in it', () => {
  const files = filesBelow('console', ['.ts', '.tsx']).filter((path) => /<bdi\b/.test(textOf(path)));
  expect(files).toEqual(['console/parts/text/isolated.tsx']);
});
