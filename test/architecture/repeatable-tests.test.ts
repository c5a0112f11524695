import { randomBytes, randomUUID, webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { seedRandomness } from '../support/repeatable-randomness.ts';
import { filesBelow } from './sources.ts';

const randomValues = (): unknown[] => {
  seedRandomness('a.test.ts');
  return [Math.random(), randomBytes(8).toString('hex'), randomUUID(), webcrypto.getRandomValues(new Uint8Array(8)).join()];
};

test('random values depend only on the seed of the tests', () => {
  const values = randomValues();
  expect(randomValues()).toEqual(values);
  expect(values[2]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

/** Calls for which fast-check would choose a random seed. */
const callsWithoutSeed = (text: string): string[] => text.match(/\bfc\.(?:assert|check|sample)\((?!.*(?:seed|parameters)\b).*/g) ?? [];

test('properties are checked with the seed of the tests: by assertProperty(), or with a seed', () => {
  const files = filesBelow('test').filter((path) => path.endsWith('.ts') && path !== 'test/architecture/repeatable-tests.test.ts');
  expect(files.flatMap((path) => callsWithoutSeed(readFileSync(path, 'utf8')).map((call) => `${path}: ${call}`))).toEqual([]);
});

test('the check finds a property without a seed', () => {
  expect(callsWithoutSeed('await fc.assert(fc.property(fc.nat(), isEven));\nfc.sample(fc.nat(), { seed: 1 });')).toEqual([
    'fc.assert(fc.property(fc.nat(), isEven));',
  ]);
});
