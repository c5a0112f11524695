import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { environment } from '../contract/environment.ts';
import type { MonitoredApi, MonitoredResources } from '../contract/monitored-resources.ts';
import { HttpEndpoint } from './http-endpoint.ts';
import { LambdaFunction } from './lambda-function.ts';
import { WebSocketApi } from './web-socket-api.ts';

const ofKind = <T extends IConstruct>(scope: IConstruct, kind: abstract new (...args: never[]) => T): T[] =>
  scope.node.findAll().filter((construct): construct is T => construct instanceof kind);

const apisIn = (scope: IConstruct): MonitoredApi[] => [
  ...ofKind(scope, HttpEndpoint).map(({ shortName, api, stage }) => ({ name: shortName, id: api.apiId, stage: stage.stageName, kind: 'http' as const })),
  ...ofKind(scope, WebSocketApi).map(({ shortName, api, stage }) => ({ name: shortName, id: api.apiId, stage: stage.stageName, kind: 'web-socket' as const })),
];

/** `InboundMail/Waiting`; a queue that is all that its construct is there for goes by the construct's name. */
const placeOf = (queue: Queue): string => queue.node.path.split('/').slice(1).join('/').replace(/\/Queue$/, '');

/**
 * Lets a Lambda look at metrics and logs of everything that was made in the stack so far, and tells it what that is: what belongs to the
 * deployment is known here, so nobody needs to list what else is in the AWS account.
 */
export const watchEverything = (stack: Stack, monitoring: LambdaFunction): void => {
  const functions = ofKind(stack, LambdaFunction);
  const resources: MonitoredResources = {
    stack: stack.stackName,
    apis: apisIn(stack),
    functions: functions.map(({ shortName }) => shortName),
    queues: Object.fromEntries(ofKind(stack, Queue).map((queue) => [placeOf(queue), queue.queueName])),
  };
  monitoring.addEnvironment(environment.monitoredResources, stack.toJsonString(resources));
  const logs = [...functions.map(({ logGroup }) => logGroup), ...ofKind(stack, HttpEndpoint).map(({ accessLog }) => accessLog)];
  monitoring.addToRolePolicy(new PolicyStatement({ actions: ['logs:FilterLogEvents'], resources: logs.map(({ logGroupArn }) => logGroupArn) }));
  // The action knows no resources.
  monitoring.addToRolePolicy(new PolicyStatement({ actions: ['cloudwatch:GetMetricData'], resources: ['*'] }));
};
