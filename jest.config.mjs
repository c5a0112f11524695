import { availableParallelism } from 'node:os';

/** The projects are in docs/development.md. */
const transform = {
  '^.+\\.[cm]?[jt]s$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'commonjs' }, sourceMaps: 'inline' }],
};
/** Published as ES modules only; jest's CommonJS runtime needs them compiled. */
const esmOnly = [
  'domelementtype',
  'domhandler',
  'dom-serializer',
  'domutils',
  'entities',
  'eventsource',
  'eventsource-parser',
  'htmlparser2',
  'jmap-jam',
  'jose',
  'nanoid',
  'oauth4webapi',
  'postal-mime',
];
const project = (displayName, testMatch, more = {}) => ({
  displayName,
  testMatch: testMatch.map((glob) => `<rootDir>/test/${glob}`),
  transform,
  transformIgnorePatterns: [`/node_modules/(?!(?:${esmOnly.join('|')})/)`],
  testEnvironment: 'node',
  // Not in the folder for temporary files, which each run of npm test has for itself.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  ...more,
});

/**
 * Runs test files as Node.js runs the product, without compilation, in processes that load each module once for all of
 * their files. Jest's own runner loads every module again for each file. A test has no time-out: `test/jest-run.ts` ends a
 * run in which no file ends.
 */
const inNode = { runner: 'jest-light-runner/child-process' };
/** Tests that need Jest's own runner, because they replace a module. So do those of .tsx files. */
const isolated = ['core/account-index/busy-account.test.ts'];

/** For projects whose tests read synthesized templates. */
const withTemplates = { ...inNode, globalSetup: '<rootDir>/test/lib/template-folder.ts' };

/** Tests of adapters against the emulator stand beside the unit tests of the same code. */
const needsEmulator = '\\.emulator\\.test\\.ts$';

export default {
  // Milliseconds after which a test of Jest's own runner hangs. A slow machine must not fail one. Jest ignores the option in a project.
  testTimeout: 600_000,
  // With one worker, jest-light-runner runs all projects in Jest's own process, and ends with an error when there are two.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  projects: [
    project('unit', ['*.test.ts', '{architecture,bin,cli,contract,core,first-hour,fuzz,histories,lambdas,preflight,upgrade,webmail}/**/*.test.ts'], {
      testPathIgnorePatterns: [needsEmulator, ...isolated.map((path) => `<rootDir>/test/${path}`)],
      ...inNode,
      setupFilesAfterEnv: ['<rootDir>/test/support/late-rejections.ts', '<rootDir>/test/support/repeatable-randomness.ts'],
    }),
    project('isolated', ['console/**/*.test.ts', ...isolated]),
    project('template', ['lib/**/*.test.ts'], withTemplates),
    project('sandbox', ['sandbox/**/*.test.ts', '{core,lambdas,preflight}/**/*.emulator.test.ts'], {
      ...withTemplates,
      setupFilesAfterEnv: ['<rootDir>/test/support/late-rejections.ts'],
    }),
    project('integration', ['integration/**/*.test.ts'], {
      runner: '<rootDir>/test/support/one-after-the-other.mjs',
      setupFilesAfterEnv: ['<rootDir>/test/support/late-rejections.ts'],
    }),
  ],
};
