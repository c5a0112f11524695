import { browserStage, integrationStages, jestStage, runStages, sourceStages } from './test-stages.ts';

/**
 * `npm test`: the checks of the source text first, then all tests concurrently. The tests on the emulator mostly wait,
 * and have the processors first; the unit and template tests compute, and take what is left.
 */
await runStages([
  browserStage,
  ...sourceStages,
  [
    jestStage({ title: 'unit and template', projects: ['unit', 'template'], maxWorkers: 2, isLowPriority: true }),
    jestStage({ title: 'sandbox and adapters', projects: ['sandbox'], maxWorkers: 2 }),
    ...integrationStages,
  ],
]);
