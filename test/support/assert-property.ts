import * as fc from 'fast-check';
import { testSeed } from './test-seed.ts';

/** Asserts a property on random inputs, which are repeatable by the tests' seed. */
export const assertProperty = ((property: fc.IRawProperty<unknown>, parameters?: fc.Parameters<unknown>) =>
  fc.assert(property as fc.IProperty<unknown>, { seed: testSeed, ...parameters })) as typeof fc.assert;
