import * as fc from 'fast-check';
import { testSeed, timesAsMany } from '../support/test-seed.ts';
import { fuzzTargets } from './fuzz-targets.ts';

describe('fuzz targets', () => {
  test('have distinct names', () => expect(new Set(fuzzTargets.map(({ name }) => name)).size).toBe(fuzzTargets.length));

  test.each(fuzzTargets)('$name has its properties for random inputs', async (target) => {
    const details = await fc.check(await target.property(), { seed: testSeed, numRuns: (target.inputs ?? 60) * timesAsMany });
    expect(details.failed ? await fc.asyncDefaultReportMessage(details) : undefined).toBeUndefined();
  });
});
