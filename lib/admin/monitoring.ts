import { Stack } from 'aws-cdk-lib';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { environment } from '../../contract/deployment/environment.ts';
import type { MonitoredApi, MonitoredResources } from '../../contract/deployment/monitored-resources.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import { HttpEndpoint } from '../endpoints/http-endpoint.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { WaitQueue } from '../jmap/event-source-waits.ts';
import { WebSocketApi } from '../jmap/web-socket-api.ts';

/** The constructs of a class that are in the scope now. */
const constructsOfType = <T extends IConstruct>(scope: IConstruct, type: abstract new (...args: never[]) => T): T[] =>
  scope.node.findAll().filter((construct): construct is T => construct instanceof type);

const monitoredApi = ({ shortName, api, stage }: HttpEndpoint | WebSocketApi, kind: MonitoredApi['kind']): MonitoredApi =>
  ({ name: shortName, id: api.apiId, stage: stage.stageName, kind });

/** The APIs that are in the scope now. */
export const apisIn = (scope: IConstruct): MonitoredApi[] => [
  ...constructsOfType(scope, HttpEndpoint).map((endpoint) => monitoredApi(endpoint, 'http')),
  ...constructsOfType(scope, WebSocketApi).map((api) => monitoredApi(api, 'web-socket')),
];

/** The log groups of the Lambdas and the HTTP APIs that are in the scope now. */
const logGroupsIn = (scope: IConstruct): ILogGroup[] => [
  ...constructsOfType(scope, LambdaFunction).map(({ logGroup }) => logGroup),
  ...constructsOfType(scope, HttpEndpoint).map(({ accessLog }) => accessLog),
];

/**
 * The path of a queue's construct in the stack, `InboundMail/Waiting/DeadLetters`. The main queue of a WorkQueue has
 * the WorkQueue's path.
 */
const queuePath = (queue: Queue): string => queue.node.path.split('/').slice(1).join('/').replace(/\/Queue$/, '');

/**
 * Lets the monitoring Lambda read metrics and logs of everything that is in the stack now, and the setup Lambda read
 * metrics, and passes them the list of these resources. They therefore need not list the resources of the AWS account.
 */
export const monitorStack = (stack: Stack, { monitoring, setup }: { readonly monitoring: LambdaFunction; readonly setup: LambdaFunction }): void => {
  const resources: MonitoredResources = {
    stack: stack.stackName,
    apis: apisIn(stack),
    functions: constructsOfType(stack, LambdaFunction).map(({ shortName }) => shortName),
    queues: Object.fromEntries(constructsOfType(stack, Queue).filter((queue) => !(queue instanceof WaitQueue)).map((queue) => [queuePath(queue), queue.queueName])),
  };
  allowActions(monitoring, { actions: ['logs:FilterLogEvents'], resources: logGroupsIn(stack).map(({ logGroupArn }) => logGroupArn) });
  for (const reader of [monitoring, setup]) {
    reader.addEnvironment(environment.monitoredResources, stack.toJsonString(resources));
    // This action has no resources.
    allowActions(reader, { actions: ['cloudwatch:GetMetricData'], resources: ['*'] });
  }
};
