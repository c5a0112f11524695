import { ArnFormat, Fn, Lazy, type Stack } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { deadLetterQueues } from '../../contract/deployment/dead-letters.ts';
import { environment } from '../../contract/deployment/environment.ts';
import {
  accessLogGroup,
  functionLogGroup,
  isDeadLetterQueue,
  nameInStack,
  statedResources,
  type MonitoredApi,
  type MonitoredResources,
} from '../../contract/deployment/monitored-resources.ts';
import { keysOf } from '../../contract/values/typed-entries.ts';
import { HttpEndpoint } from '../endpoints/http-endpoint.ts';
import { BlobApi } from '../jmap/blob-api.ts';
import { WaitQueue } from '../jmap/event-source-waits.ts';
import { WebSocketApi } from '../jmap/web-socket-api.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';
import type { LambdaName } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';

/** The constructs of a class that are already in the scope. */
const constructsOfType = <T extends IConstruct>(scope: IConstruct, type: abstract new (...args: never[]) => T): T[] =>
  scope.node.findAll().filter((construct): construct is T => construct instanceof type);

const monitoredApi = ({ shortName, api, stage }: HttpEndpoint | WebSocketApi, kind: MonitoredApi['kind']): MonitoredApi => ({
  name: shortName,
  id: api.apiId,
  stage: stage.stageName,
  kind,
});

/** The APIs that are already in the scope. */
export const apisIn = (scope: IConstruct): MonitoredApi[] => [
  ...constructsOfType(scope, HttpEndpoint).map((endpoint) => monitoredApi(endpoint, 'http')),
  ...constructsOfType(scope, BlobApi).map(({ shortName, api, stages }): MonitoredApi => ({
    name: shortName,
    id: api.restApiId,
    stage: [...stages.values()].map(({ stageName }) => stageName).join(', '),
    kind: 'rest',
  })),
  ...constructsOfType(scope, WebSocketApi).map((api) => monitoredApi(api, 'web-socket')),
];

/**
 * The path of a queue's construct in the stack, `InboundMail/Waiting/DeadLetters`. The main queue of a WorkQueue has
 * the WorkQueue's path.
 */
const queuePath = (queue: Queue): string =>
  queue.node.path
    .split('/')
    .slice(1)
    .join('/')
    .replace(/\/Queue$/, '');

/** All Lambdas of the app, in all of its stacks. */
const lambdasOf = (scope: IConstruct): LambdaName[] => constructsOfType(scope.node.root, LambdaFunction).map(({ shortName }) => shortName);

/**
 * The deployment's resources that monitoring reads, as JSON: the APIs and queues that are already in the stack, and the
 * Lambdas of all stacks. The list is evaluated when the app is synthesized, so it includes stacks that are added later.
 */
export const monitoredResources = (stack: Stack, inboundTopic: ITopic): string => {
  const queues = constructsOfType(stack, Queue).filter((queue) => !(queue instanceof WaitQueue));
  return Lazy.string({
    produce: () => {
      const resources: MonitoredResources = {
        stack: deploymentName(stack),
        apis: apisIn(stack),
        functions: lambdasOf(stack),
        queues: Object.fromEntries(queues.map((queue) => [queuePath(queue), queue.queueName])),
        inboundTopic: inboundTopic.topicName,
      };
      return stack.toJsonString(statedResources(resources));
    },
  });
};

/** The paths of the queues whose messages can become dead letters, and of those with the dead letters. */
const workPlaces = keysOf(deadLetterQueues).filter((place) => !isDeadLetterQueue(place));
const deadPlaces = keysOf(deadLetterQueues).map((place) => (isDeadLetterQueue(place) ? place : `${place}/DeadLetters`));

/** The ARNs of the queues that the methods on dead letters use, each list separated by commas. */
export type QueueArns = { readonly work: string; readonly dead: string };

export const queueArns = (stack: Stack): QueueArns => {
  const arns = new Map(constructsOfType(stack, Queue).map((queue) => [queuePath(queue), queue.queueArn]));
  const arnsOf = (places: readonly string[]): string => places.map((place) => arns.get(place)!).join(',');
  return { work: arnsOf(workPlaces), dead: arnsOf(deadPlaces) };
};

/**
 * Lets the monitoring Lambda count the messages of all queues, and move and delete dead letters. It cannot receive the
 * messages of a queue with work.
 */
export const grantMoveDeadLetters = (monitoring: LambdaFunction, { work, dead }: QueueArns): void => {
  const each = (places: readonly string[], arns: string) => places.map((_, index) => Fn.select(index, Fn.split(',', arns)));
  const [workQueues, deadLetters] = [each(workPlaces, work), each(deadPlaces, dead)];
  const countActions = ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes'];
  allowActions(monitoring, { actions: [...countActions, 'sqs:SendMessage'], resources: workQueues });
  allowActions(monitoring, { actions: [...countActions, 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:DeleteMessage'], resources: deadLetters });
};

/**
 * ARN patterns of the log groups of all Lambdas and HTTP APIs. They are made from names, because the log groups are in
 * several stacks.
 */
const logGroupArns = (stack: Stack): string[] => {
  const deployment = deploymentName(stack);
  const endpoints = constructsOfType(stack.node.root, HttpEndpoint);
  const groups = [
    ...lambdasOf(stack).map((name) => functionLogGroup(nameInStack(deployment, name))),
    ...endpoints.map(({ shortName }) => accessLogGroup(nameInStack(deployment, shortName))),
  ];
  return groups.map((group) =>
    stack.formatArn({ service: 'logs', resource: 'log-group', resourceName: `${group}:*`, arnFormat: ArnFormat.COLON_RESOURCE_NAME }),
  );
};

/**
 * Lets the monitoring Lambda read metrics and logs of the deployment, and the setup Lambda read metrics, and passes them
 * the list of its resources. They therefore need not list the resources of the AWS account. Lambdas may be added later.
 */
export const monitor = (
  stack: Stack,
  resources: string,
  { monitoring, setup }: { readonly monitoring: LambdaFunction; readonly setup: LambdaFunction },
): void => {
  const logGroups = Lazy.list({ produce: () => logGroupArns(stack) });
  allowActions(monitoring, { actions: ['logs:FilterLogEvents'], resources: logGroups });
  for (const reader of [monitoring, setup]) {
    reader.addEnvironment(environment.monitoredResources, resources);
    // This action has no resources.
    allowActions(reader, { actions: ['cloudwatch:GetMetricData'], resources: ['*'] });
  }
};
