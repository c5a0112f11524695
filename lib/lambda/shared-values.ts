import { CfnParameter, Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { sharedValueParameter } from '../../contract/deployment/stored-data.ts';
import { deploymentName } from './deployment-stack.ts';

/**
 * Values that a stack stores for the other stacks of its deployment, in Parameter Store. An export could not change
 * while another stack imports it; a parameter can change at any time, and the next deployment of the other stack reads
 * it.
 */
export class SharedValues extends Construct {
  constructor(scope: Construct, id: string, values: Readonly<Record<string, string>>) {
    super(scope, id);
    for (const [name, stringValue] of Object.entries(values)) {
      new StringParameter(this, name, { parameterName: sharedValueParameter(deploymentName(this), name), stringValue });
    }
  }
}

/** A value that another stack of the deployment stores. CloudFormation reads it whenever it creates or updates this stack. */
export const sharedValue = (scope: Construct, name: string): string => {
  const stack = Stack.of(scope);
  const id = `Shared${name.replaceAll(/(?:^|\W)(\w)/g, (_, first: string) => first.toUpperCase())}`;
  const existing = stack.node.tryFindChild(id);
  const parameter =
    existing instanceof CfnParameter
      ? existing
      : new CfnParameter(stack, id, { type: 'AWS::SSM::Parameter::Value<String>', default: sharedValueParameter(deploymentName(scope), name) });
  return parameter.valueAsString;
};
