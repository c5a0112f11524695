import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { deploymentContext } from '../../lib/deployment-context.ts';
import { PostriderStack } from '../../lib/postrider-stack.ts';

/** The stack for a context. Its Lambdas have inline code, so that nothing is bundled. */
export const stackFor = (values: Readonly<Record<string, unknown>>): PostriderStack => {
  const context = deploymentContext(values);
  return new PostriderStack(new App(), context.stackName, {
    context, code: () => Code.fromInline('exports.handler = async () => undefined;'),
  });
};
