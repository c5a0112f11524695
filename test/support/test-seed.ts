/**
 * The seed of all random values in unit tests: ids, pauses, and inputs of properties. `POSTRIDER_TEST_SEED=7` sets
 * another one.
 */
export const testSeed = Number(process.env['POSTRIDER_TEST_SEED'] ?? 1);
