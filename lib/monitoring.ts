import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { environment } from '../contract/environment.ts';
import type { MonitoredApi, MonitoredResources } from '../contract/monitored-resources.ts';
import { HttpEndpoint } from './http-endpoint.ts';
import { LambdaFunction } from './lambda-function.ts';
import { WebSocketApi } from './web-socket-api.ts';

/** Constructs of a kind that were made in the scope so far. */
export const ofKind = <T extends IConstruct>(scope: IConstruct, kind: abstract new (...args: never[]) => T): T[] =>
  scope.node.findAll().filter((construct): construct is T => construct instanceof kind);

/** The APIs that were made in the scope so far. */
export const apisIn = (scope: IConstruct): MonitoredApi[] => [
  ...ofKind(scope, HttpEndpoint).map(({ shortName, api, stage }) => ({ name: shortName, id: api.apiId, stage: stage.stageName, kind: 'http' as const })),
  ...ofKind(scope, WebSocketApi).map(({ shortName, api, stage }) => ({ name: shortName, id: api.apiId, stage: stage.stageName, kind: 'web-socket' as const })),
];

/** The logs of the Lambdas and of the HTTP APIs that were made in the scope so far. */
export const logGroupsIn = (scope: IConstruct): ILogGroup[] =>
  [...ofKind(scope, LambdaFunction).map(({ logGroup }) => logGroup), ...ofKind(scope, HttpEndpoint).map(({ accessLog }) => accessLog)];

/** `InboundMail/Waiting`; a queue that is all that its construct is there for goes by the construct's name. */
const placeOf = (queue: Queue): string => queue.node.path.split('/').slice(1).join('/').replace(/\/Queue$/, '');

/**
 * Lets a Lambda look at metrics and logs of everything that was made in the stack so far, and tells it what that is: what belongs to the
 * deployment is known here, so nobody needs to list what else is in the AWS account.
 */
export const watchEverything = (stack: Stack, monitoring: LambdaFunction): void => {
  const resources: MonitoredResources = {
    stack: stack.stackName,
    apis: apisIn(stack),
    functions: ofKind(stack, LambdaFunction).map(({ shortName }) => shortName),
    queues: Object.fromEntries(ofKind(stack, Queue).map((queue) => [placeOf(queue), queue.queueName])),
  };
  monitoring.addEnvironment(environment.monitoredResources, stack.toJsonString(resources));
  monitoring.addToRolePolicy(new PolicyStatement({ actions: ['logs:FilterLogEvents'], resources: logGroupsIn(stack).map(({ logGroupArn }) => logGroupArn) }));
  // The action knows no resources.
  monitoring.addToRolePolicy(new PolicyStatement({ actions: ['cloudwatch:GetMetricData'], resources: ['*'] }));
};
