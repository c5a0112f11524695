import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { ContextError, deploymentContext } from '../lib/deployment-context.ts';
import { bundledLambdas } from '../lib/lambda/lambda-bundles.ts';
import { createDeployment } from '../lib/stacks/deployment.ts';

try {
  const app = new App();
  const context = deploymentContext(app.node.getAllContext());
  createDeployment(app, { context, code: bundledLambdas(join(import.meta.dirname, '..')) });
} catch (error) {
  if (!(error instanceof ContextError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
