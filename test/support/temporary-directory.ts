import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A directory for the tests of a file, which is removed afterwards. Call it where `beforeEach` is allowed.
 * @param lifetime whether each test has a separate directory, or all tests of the file share one.
 * @returns a function that returns the path of a name in the directory; without a name, the directory's path.
 */
export const temporaryDirectory = (lifetime: 'test' | 'file' = 'test'): ((...names: readonly string[]) => string) => {
  const [before, after] = lifetime === 'test' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-test-'));
  });
  after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return (...names) => join(directory, ...names);
};
