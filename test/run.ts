import { browserStage, integrationStages, jestStage, runStages, sourceStages } from './test-stages.ts';

/**
 * `npm test`: the checks of the source text first, then all tests concurrently, because the tests on the emulator mostly
 * wait.
 */
await runStages([
  browserStage,
  ...sourceStages,
  [
    jestStage({ title: 'unit and template', projects: ['unit', 'template'], maxWorkers: 2 }),
    jestStage({ title: 'sandbox and adapters', projects: ['sandbox'], maxWorkers: 2 }),
    ...integrationStages,
  ],
]);
