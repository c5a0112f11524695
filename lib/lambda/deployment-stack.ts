import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

export type DeploymentStackProps = Omit<StackProps, 'stackName'> & {
  /** The setting `stackName`: the name of the deployment. */
  readonly deployment: string;
};

/** One stack of a deployment. It names no AWS account and no region, so that `cdk synth` needs no credentials. */
export class DeploymentStack extends Stack {
  readonly deployment: string;

  constructor(scope: Construct, id: string, { deployment, ...props }: DeploymentStackProps) {
    super(scope, id, props);
    this.deployment = deployment;
  }
}

/**
 * The prefix of the names of Lambdas, APIs and metrics of a deployment, the same in all of its stacks. A stack outside
 * a deployment is a separate deployment.
 */
export const deploymentName = (scope: Construct): string => {
  const stack = Stack.of(scope);
  return stack instanceof DeploymentStack ? stack.deployment : stack.stackName;
};
