import { GetFunctionConfigurationCommand, InvokeCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { GetQueueUrlCommand, PurgeQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { adminMachineToken } from '../access-tokens.ts';
import { call } from '../admin-calls.ts';
import { admin, aws, functionName, measure, pointsOf, resumeLambda, stopLambda } from './deployment-clients.ts';
import type { ProblemProvocation } from './problem-provocation.ts';

const queue = 'MailCleanup/Waiting';
const queueConsumer = 'mail-cleanup';
const deadLetters = `${queue}/DeadLetters`;

const queueNameOf = async (place: string): Promise<string> => (await admin.monitoring.GetOverview({})).queues.find(({ name }) => name === place)!.queue_name;
const queueUrlOf = async (place: string) => (await aws.sqs.send(new GetQueueUrlCommand({ QueueName: await queueNameOf(place) }))).QueueUrl;
const send = async (place: string) => aws.sqs.send(new SendMessageCommand({ QueueUrl: await queueUrlOf(place), MessageBody: 'sent by a test' }));
const purge = async (place: string) => aws.sqs.send(new PurgeQueueCommand({ QueueUrl: await queueUrlOf(place) }));

const minute = 60_000;

/** Lambdas that read streams. */
const streamLambdas = ['indexer', 'receipt-rules', 'notify'] as const;
let delayedStream: string = streamLambdas[0];

const setVariables = (name: string, Variables: Readonly<Record<string, string>>) =>
  aws.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: functionName(name), Environment: { Variables } }));

/** A Lambda whose environment variables a test changes for a time. */
const environmentOf = (name: string) => {
  let before: Readonly<Record<string, string>> = {};
  return {
    change: async (changed: (variables: Readonly<Record<string, string>>) => Readonly<Record<string, string>>) => {
      before = (await aws.lambda.send(new GetFunctionConfigurationCommand({ FunctionName: functionName(name) }))).Environment!.Variables!;
      await setVariables(name, changed(before));
    },
    restore: () => setVariables(name, before),
  };
};
const [watch, suppression] = [environmentOf('watch'), environmentOf('suppression')];

export const queueAndLambdaProvocations = {
  DEAD_LETTERS: {
    begin: async () => {
      await send(deadLetters);
      return deadLetters;
    },
    end: () => purge(deadLetters),
  },
  QUEUE_DELAYED: {
    begin: async () => {
      await stopLambda(queueConsumer);
      await send(queue);
      // The emulator measures a queue when its metrics are read, and replaces the last point of the minute by the result.
      const points = [0, 0, minute, minute].map((later) => ({ Value: 901, Timestamp: new Date(Date.now() + later) }));
      await measure('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: await queueNameOf(queue) }, ...points);
      return queue;
    },
    end: async () => {
      await purge(queue);
      await resumeLambda(queueConsumer);
    },
  },
  STREAM_DELAYED: {
    begin: async () => {
      // An earlier run of this file has measured the first ones, and a point of six minutes ago is not their newest.
      for (delayedStream of streamLambdas) {
        if ((await pointsOf('AWS/Lambda', 'IteratorAge', { FunctionName: functionName(delayedStream) })) === 0) break;
      }
      await measure(
        'AWS/Lambda',
        'IteratorAge',
        { FunctionName: functionName(delayedStream) },
        { Value: 600_000, Timestamp: new Date(Date.now() - 6 * minute) },
      );
      return delayedStream;
    },
    end: () => measure('AWS/Lambda', 'IteratorAge', { FunctionName: functionName(delayedStream) }, { Value: 0 }),
  },
  LAMBDA_ERRORS: {
    begin: async () => {
      const { FunctionError } = await aws.lambda.send(new InvokeCommand({ FunctionName: functionName('notify'), Payload: '{"Records":1}' }));
      expect(FunctionError).toBeDefined();
      return 'notify';
    },
    end: undefined,
  },
  LAMBDA_THROTTLES: {
    begin: async () => {
      await stopLambda('registration-sweep');
      await expect(aws.lambda.send(new InvokeCommand({ FunctionName: functionName('registration-sweep') }))).rejects.toMatchObject({
        name: 'TooManyRequestsException',
      });
      return undefined;
    },
    end: undefined,
    cleanUp: () => resumeLambda('registration-sweep'),
  },
  API_ERRORS: {
    begin: async () => {
      // A Lambda without its settings fails when it is loaded.
      await suppression.change(() => ({}));
      const token = await adminMachineToken();
      for (let calls = 0; calls < 5; calls++) expect((await call(token, 'suppression/ListSuppressions')).status).toBe(500);
      return 'admin';
    },
    end: undefined,
    cleanUp: suppression.restore,
  },
  SOURCE_UNAVAILABLE: {
    runs: 2,
    begin: async () => {
      // Nobody answers there.
      await watch.change((variables) => ({ ...variables, AWS_ENDPOINT_URL_SESV2: 'http://127.0.0.1:9' }));
      return 'SES';
    },
    end: watch.restore,
  },
} satisfies Record<string, ProblemProvocation>;
