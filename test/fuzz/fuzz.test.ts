import * as fc from 'fast-check';
import { fuzzTargets } from './fuzz-targets.ts';
import { testSeed } from '../support/test-seed.ts';

/** Inputs of each target. The requests have a test of their own with more of them. */
const inputs = 300;

describe('fuzz targets', () => {
  test('have distinct names', () => expect(new Set(fuzzTargets.map(({ name }) => name)).size).toBe(fuzzTargets.length));

  test.each(fuzzTargets)('$name holds what it checks for random inputs', async (target) => {
    const details = await fc.check(await target.property(), { seed: testSeed, numRuns: inputs });
    expect(details.failed ? await fc.asyncDefaultReportMessage(details) : undefined).toBeUndefined();
  });
});
