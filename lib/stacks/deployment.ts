import type { Construct } from 'constructs';
import { adminStackName, dataStackName } from '../../contract/deployment/monitored-resources.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { AdminStack } from './admin-stack.ts';
import { DataStack } from './data-stack.ts';
import { PostriderStack } from './postrider-stack.ts';

export type DeploymentProps = { readonly context: DeploymentContext; readonly code: LambdaCode };

/** The stacks of a deployment, in the order in which they are deployed. Each reads values that earlier stacks store. */
export type DeploymentStacks = { readonly data: DataStack; readonly services: PostriderStack; readonly admin: AdminStack };

/** Creates the stacks of a deployment. The stack with the outputs is named by the setting `stackName`. */
export const createDeployment = (scope: Construct, props: DeploymentProps): DeploymentStacks => {
  const { stackName } = props.context;
  const data = new DataStack(scope, dataStackName(stackName), props);
  const services = new PostriderStack(scope, stackName, props);
  const admin = new AdminStack(scope, adminStackName(stackName), props);
  services.addStackDependency(data);
  admin.addStackDependency(services);
  return { data, services, admin };
};
