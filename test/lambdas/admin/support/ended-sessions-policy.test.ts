import * as fc from 'fast-check';
import { allSessionsDenied, maxInlinePolicyLength, maxSessionSeconds } from '../../../../contract/deployment/support-roles.ts';
import type { TierAccess } from '../../../../core/directory/support-cases.ts';
import { endedSessionsPolicy, maxFutureEnds } from '../../../../lambdas/admin/support/ended-sessions-policy.ts';
import { isSessionPermitted } from '../../../fakes/memory-support-roles.ts';
import { assertProperty } from '../../../support/assert-property.ts';

const noon = Date.parse('2026-11-21T12:00:00.000Z');
const at = (milliseconds: number) => new Date(noon + milliseconds);
const access = (ended: number | undefined, ...untils: number[]): TierAccess => ({
  open: untils.map((until, index) => ({ case_id: `case_${index}`, active_until: at(until).toISOString() })),
  ended: ended === undefined ? undefined : at(ended).toISOString(),
});
const minute = 60_000;
/** The end of the case that is open in all of these tests. */
const open = 100 * minute;

describe('endedSessionsPolicy', () => {
  test('denies sessions issued until the second of a past end, and those of a future end from that time', () => {
    expect(endedSessionsPolicy(access(-minute + 400, minute + 900), at(0))).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Deny',
          Action: '*',
          Resource: '*',
          Condition: { DateLessThan: { 'aws:TokenIssueTime': '2026-11-21T11:59:01Z' }, DateGreaterThanEquals: { 'aws:CurrentTime': '2026-11-21T11:59:00Z' } },
        },
        {
          Effect: 'Deny',
          Action: '*',
          Resource: '*',
          Condition: { DateLessThan: { 'aws:TokenIssueTime': '2026-11-21T12:01:01Z' }, DateGreaterThanEquals: { 'aws:CurrentTime': '2026-11-21T12:01:00Z' } },
        },
      ],
    });
  });

  test.each([
    ['issued long before the end, a moment before it', -minute, 9_999, true],
    ['issued long before the end, at the end', -minute, 10_000, false],
    ['issued a moment before the end', 9_999, 10_000, false],
    ['issued in the second of the end', 10_000, 10_001, false],
    ['issued at the last moment of that second', 10_999, 11_000, false],
    ['issued in the next second', 11_000, 11_000, true],
  ])('%s', (_, issued, now, goesOn) => {
    expect(isSessionPermitted(endedSessionsPolicy(access(10_000, open), at(10_000)), { issued: at(issued), at: at(now) })).toBe(goesOn);
    expect(isSessionPermitted(endedSessionsPolicy(access(undefined, 10_000, open), at(-minute)), { issued: at(issued), at: at(now) })).toBe(goesOn);
  });

  test('applies an end from the start of its second, as the trust policy does', () => {
    expect(isSessionPermitted(endedSessionsPolicy(access(undefined, 10_700, open), at(0)), { issued: at(0), at: at(10_000) })).toBe(false);
    expect(isSessionPermitted(endedSessionsPolicy(access(10_700, open), at(10_700)), { issued: at(10_600), at: at(10_700) })).toBe(false);
  });

  test('denies all sessions while no case grants access', () => {
    for (const nobody of [access(undefined), access(-minute), access(undefined, -minute), access(-minute, -2 * minute, 0)])
      expect(endedSessionsPolicy(nobody, at(0))).toEqual(allSessionsDenied);
    expect(endedSessionsPolicy(access(undefined, 1000), at(0))).not.toEqual(allSessionsDenied);
    expect(isSessionPermitted(allSessionsDenied, { issued: at(minute), at: at(minute) })).toBe(false);
  });

  test('drops an end once no earlier session can exist', () => {
    const kept = (maxSessionSeconds + 300) * 1000;
    expect(endedSessionsPolicy(access(-kept, -kept - 1, open), at(0))).toEqual(endedSessionsPolicy(access(undefined, open), at(0)));
    expect(endedSessionsPolicy(access(-kept + 1000, open), at(0)).Statement).toHaveLength(2);
    expect(
      isSessionPermitted(endedSessionsPolicy(access(-maxSessionSeconds * 1000, open), at(0)), { issued: at(-maxSessionSeconds * 1000 - 1), at: at(0) }),
    ).toBe(false);
  });

  test('merges past ends into the latest, and equal future ends into one', () => {
    expect(endedSessionsPolicy(access(-3000, -1000, -2000, 5000, 5999, 7000), at(0))).toEqual(endedSessionsPolicy(access(-1000, 5000, 7000), at(0)));
    expect(endedSessionsPolicy(access(-3000, -1000, -2000, 5000, 5999, 7000), at(0)).Statement).toHaveLength(3);
  });

  test('from each end denies exactly the sessions issued in its second or before, for any ends and times', () => {
    const time = fc.integer({ min: -50 * minute, max: 10 * minute });
    assertProperty(
      fc.property(
        fc.array(time, { maxLength: maxFutureEnds - 1 }),
        fc.option(time, { nil: undefined }),
        time,
        fc.nat(50 * minute),
        fc.nat(10 * minute),
        (untils, ended, written, before, after) => {
          const [now, issued] = [written + after, written - before];
          fc.pre(now - issued < maxSessionSeconds * 1000 && (ended === undefined || ended <= written));
          const second = (milliseconds: number) => Math.floor(milliseconds / 1000);
          const isDenied = [...untils, ...(ended === undefined ? [] : [ended])].some((end) => second(issued) <= second(end) && second(now) >= second(end));
          expect(isSessionPermitted(endedSessionsPolicy(access(ended, open, ...untils), at(written)), { issued: at(issued), at: at(now) })).toBe(!isDenied);
        },
      ),
    );
  });

  test('fits any number of future ends into IAM’s limit, and never permits more than separate statements would', () => {
    const untils = Array.from({ length: 500 }, (_, index) => (index + 1) * minute);
    const policy = endedSessionsPolicy(access(-minute, ...untils), at(0));
    expect(policy.Statement).toHaveLength(maxFutureEnds + 1);
    expect(JSON.stringify(policy).length).toBeLessThanOrEqual(maxInlinePolicyLength);
    for (const until of untils) {
      expect(isSessionPermitted(policy, { issued: at(until), at: at(until) })).toBe(false);
      expect(isSessionPermitted(policy, { issued: at(until - minute / 2), at: at(until + minute) })).toBe(false);
    }
    const last = (maxFutureEnds - 1) * minute;
    expect(isSessionPermitted(policy, { issued: at(last + 1000), at: at(last + minute - 1) })).toBe(true);
    expect(endedSessionsPolicy(access(undefined, ...untils.slice(0, maxFutureEnds)), at(0)).Statement).toHaveLength(maxFutureEnds);
  });
});
