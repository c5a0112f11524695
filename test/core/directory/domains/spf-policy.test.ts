import * as fc from 'fast-check';
import { allowsSes, isSpf, withSes } from '../../../../core/directory/domains/spf-policy.ts';
import { assertProperty } from '../../../support/assert-property.ts';

const term = fc.constantFrom(
  'a',
  'mx:h.test',
  '-ip4:192.0.2.0/24',
  'include:b.test',
  '?include:amazonses.com',
  'include:amazonses.com',
  'exists:%{i}.x.test',
  'exp=why.test',
  '~all',
  '-ALL',
  'redirect=c.test',
);
const policy = fc.array(term, { maxLength: 6 }).map((terms) => ['v=spf1', ...terms].join(' '));
const mechanisms = (text: string) =>
  text
    .split(' ')
    .slice(1)
    .filter((each) => !/all$|^redirect=|include:amazonses\.com$/i.test(each));

describe('a policy that is extended for SES', () => {
  test('is one policy that allows SES and keeps every other sender', () => {
    assertProperty(
      fc.property(policy, (found) => {
        const extended = withSes([found]);
        expect(isSpf(extended)).toBe(true);
        expect(allowsSes(extended)).toBe(true);
        expect(mechanisms(extended)).toEqual(mechanisms(found));
        // What comes after `all` is not evaluated (RFC 7208 §5.1).
        expect(
          extended.split(' ').findIndex((each) => /all$/i.test(each)) === -1 || extended.indexOf('include:amazonses.com') < extended.search(/[~-]all/i),
        ).toBe(true);
      }),
    );
  });

  test('joins several policies in any order, and keeps each of their senders', () => {
    assertProperty(
      fc.property(policy, policy, (one, other) => {
        const joined = withSes([one, other]);
        expect(joined).toBe(withSes([other, one]));
        expect(allowsSes(joined)).toBe(true);
        expect(joined.match(/(^|\s)v=spf1/g)).toHaveLength(1);
        expect(joined.match(/[~-]all/gi)).toHaveLength(1);
      }),
    );
  });
});
