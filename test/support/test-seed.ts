/**
 * The seed of all random values of the unit tests. Another one, `POSTRIDER_TEST_SEED=7 npm run test:unit`, gives them
 * other ids, other pauses and other inputs of properties.
 */
export const testSeed = Number(process.env['POSTRIDER_TEST_SEED'] ?? 1);
