/**
 * The seed of all random values in unit tests: ids, pauses, and inputs of properties. `POSTRIDER_TEST_SEED=7` sets
 * another one.
 */
export const testSeed = Number(process.env['POSTRIDER_TEST_SEED'] ?? 1);

/** How many times as many random inputs the tests try: `POSTRIDER_TEST_RUNS=10`. Default: 1. */
export const timesAsMany = Number(process.env['POSTRIDER_TEST_RUNS'] ?? 1);
