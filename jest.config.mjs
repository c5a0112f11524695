/** Three projects: `unit` (no process but Node's), `template` (cdk synth) and `sandbox` (needs the emulator's Python environment). */
const transform = {
  '^.+\\.[cm]?[jt]s$': ['@swc/jest', {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  }],
};
/** Published as ES modules only; jest's CommonJS runtime needs them compiled. */
const esmOnly = [
  'domelementtype', 'domhandler', 'dom-serializer', 'domutils', 'entities', 'eventsource', 'eventsource-parser', 'htmlparser2', 'jmap-jam',
  'jose', 'nanoid', 'oauth4webapi', 'postal-mime',
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

/** For projects whose tests read synthesized templates. */
const withTemplates = { globalSetup: '<rootDir>/test/lib/template-folder.ts' };

/** Tests of adapters against the emulator stand beside the unit tests of the same code. */
const needsEmulator = '\\.emulator\\.test\\.ts$';

export default {
  // Milliseconds after which a test hangs. A slow machine must not fail one. Jest ignores the option in a project.
  testTimeout: 600_000,
  projects: [
    project('unit', ['*.test.ts', '{architecture,bin,cli,console,contract,core,first-hour,fuzz,histories,lambdas,preflight,upgrade}/**/*.test.ts'], {
      testPathIgnorePatterns: [needsEmulator],
      setupFilesAfterEnv: ['<rootDir>/test/support/repeatable-randomness.ts'],
    }),
    project('template', ['lib/**/*.test.ts'], withTemplates),
    project('sandbox', ['sandbox/**/*.test.ts', '{core,lambdas,preflight,restore}/**/*.emulator.test.ts'], withTemplates),
    project('integration', ['integration/**/*.test.ts']),
  ],
};
