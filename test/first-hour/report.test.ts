import { assumptionsIn } from './assumptions.ts';
import { linesOf, namePattern, reportText } from './report.ts';

const [capitals, sizes] = ['arrives (once)', 'leaves'];
const page = `| Assumption | Source | If it is wrong | Test |
|---|---|---|---|
| SES ignores case | nowhere | mail bounces | \`test/integration/mail.test.ts\` › ${capitals} |
| SES takes 28 MB | quotas | large mail fails | \`test/integration/mail.test.ts\` › ${sizes} |
`;
const assumptions = assumptionsIn(page);
const result = (title: string, status: string, more: object = {}) => ({
  file: 'test/integration/mail.test.ts',
  groups: ['mail'],
  title,
  status,
  failureMessages: [],
  ...more,
});

test('a row is ok with what its test saw, and failed with the message of its test and what breaks', () => {
  const results = [result(capitals, 'passed'), result(sizes, 'failed', { failureMessages: ['Error: too\n  large\n    at x (y.ts:1)'] })];
  expect(
    linesOf(assumptions, results, [
      { test: `mail ${capitals}`, seen: 'after 3 s' },
      { test: 'mail other', seen: 'no' },
    ]),
  ).toEqual([
    { state: 'ok', assumption: assumptions[0], found: 'after 3 s' },
    { state: 'FAILED', assumption: assumptions[1], found: 'Error: too large Then: large mail fails' },
  ]);
});

test('a row whose test was skipped or did not run is not tried, with the reason', () => {
  const results = [result(capitals, 'pending', { groups: ['mail [skipped: needs an SMTP server]'] })];
  expect(linesOf(assumptions, results, []).map(({ state, found }) => [state, found])).toEqual([
    ['not tried', 'needs an SMTP server'],
    ['not tried', 'the test did not run'],
  ]);
});

test('the table has no address, token or account id of a failure', () => {
  const message = 'User arn:aws:iam::123456789012:role/x of ada.l+x@mail.example.com has eyJhbGciOi.eyJzdWIi.c2ln';
  const text = reportText('Postrider', linesOf(assumptions, [result(capitals, 'failed', { failureMessages: [message] })], []), 200);
  expect(text).toContain('User arn:aws:iam::<account>:role/x of <address> has <token>');
  expect(text).toMatch(/0 ok, 1 FAILED, 1 not tried\.$/);
});

test('the pattern of names takes the titles as they are', () => {
  const pattern = new RegExp(namePattern(assumptions));
  expect(['mail arrives (once)', 'mail leaves', 'mail arrives once', 'mail leaves late'].map((name) => pattern.test(name))).toEqual([true, true, false, false]);
});
