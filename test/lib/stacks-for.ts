import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { deploymentContext } from '../../lib/deployment-context.ts';
import { createDeployment, type DeploymentStacks } from '../../lib/stacks/deployment.ts';

/** The stacks for a context. Their Lambdas have inline code, so that nothing is bundled. */
export const stacksFor = (values: Readonly<Record<string, unknown>>): DeploymentStacks =>
  createDeployment(new App(), { context: deploymentContext(values), code: () => Code.fromInline('exports.handler = async () => undefined;') });
