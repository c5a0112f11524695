import * as fc from 'fast-check';
import { testSeed, timesAsMany } from './test-seed.ts';

/**
 * Asserts a property on random inputs, which are repeatable by the tests' seed. There are `numRuns` of them (default: 100),
 * and `POSTRIDER_TEST_RUNS` times as many in `npm run test:nightly`.
 */
export const assertProperty = ((property: fc.IRawProperty<unknown>, { numRuns = 100, ...parameters }: fc.Parameters<unknown> = {}) =>
  fc.assert(property as fc.IProperty<unknown>, { seed: testSeed, ...parameters, numRuns: numRuns * timesAsMany })) as typeof fc.assert;
