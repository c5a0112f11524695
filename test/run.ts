import { browserStage, integrationStages, jestStage, runStages, sourceStages } from './test-stages.ts';

/**
 * `npm test`: the fastest stages first. The tests of the last step often wait, so they run concurrently. The unit tests
 * compute, and have the processors for themselves.
 */
await runStages([
  browserStage,
  ...sourceStages,
  [jestStage({ title: 'unit', projects: ['unit'], maxWorkers: 3 }), jestStage({ title: 'unit, isolated', projects: ['isolated'], maxWorkers: 1 })],
  [
    jestStage({ title: 'template', projects: ['template'], maxWorkers: 1 }),
    jestStage({ title: 'sandbox and adapters', projects: ['sandbox'], maxWorkers: 2 }),
    ...integrationStages,
  ],
]);
