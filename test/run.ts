import { browserStage, integrationStages, jestStage, runStages, sourceStages } from './test-stages.ts';

/** `npm test`: all stages, the fastest first. The tests of the last step mostly wait, so they run concurrently. */
await runStages([
  browserStage,
  ...sourceStages,
  jestStage('unit and template', ['unit', 'template'], '--maxWorkers=2'),
  [jestStage('sandbox and adapters', ['sandbox'], '--maxWorkers=1'), ...integrationStages],
]);
