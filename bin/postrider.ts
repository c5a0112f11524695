import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { ContextError, deploymentContext } from '../lib/deployment-context.ts';
import { bundledLambdas } from '../lib/lambda/lambda-bundles.ts';
import { PostriderStack } from '../lib/postrider-stack.ts';

try {
  const app = new App();
  const context = deploymentContext(app.node.getAllContext());
  new PostriderStack(app, context.stackName, { context, code: bundledLambdas(join(import.meta.dirname, '..')) });
} catch (error) {
  if (!(error instanceof ContextError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
