import { browserStage, integrationStage, jestStage, runStages, sourceStages } from './test-stages.ts';

/** `npm test`: all stages, the fastest first. */
await runStages([
  browserStage,
  ...sourceStages,
  jestStage('unit and template', ['unit', 'template']),
  jestStage('sandbox and adapters', ['sandbox']),
  integrationStage({ enforceIam: true }),
]);
