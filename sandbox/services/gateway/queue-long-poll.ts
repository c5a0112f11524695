import type { IncomingMessage, ServerResponse } from 'node:http';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { emulatorConfig, type LongPoll } from './deployed-apis.ts';
import { endOfStream, sendJson } from './emulator-upstream.ts';

/** Receives messages of a queue. @returns their bodies; empty when the wait ended without a message. */
export type ReceiveMessages = (poll: LongPoll) => Promise<readonly string[]>;

/** A client of SQS that has the permissions of a role only, as API Gateway has. The SDK renews its credentials. */
const clientWithRole = (emulator: string, roleArn: string): SQSClient => {
  const sts = new STSClient(emulatorConfig(emulator));
  return new SQSClient({
    ...emulatorConfig(emulator),
    useQueueUrlAsEndpoint: false,
    credentials: async () => {
      const { Credentials: given } = await sts.send(new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: 'api-gateway' }));
      const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken, Expiration: expiration } = given!;
      return { accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey!, sessionToken, expiration };
    },
  });
};

export const receiveMessagesFrom = (emulator: string): ReceiveMessages => {
  const clients = new Map<string, SQSClient>();
  return async ({ queueUrl, roleArn, waitTimeSeconds, maxNumberOfMessages }) => {
    const client = clients.get(roleArn) ?? clientWithRole(emulator, roleArn);
    clients.set(roleArn, client);
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds: waitTimeSeconds, MaxNumberOfMessages: maxNumberOfMessages }),
    );
    return Messages.map(({ Body = '' }) => Body);
  };
};

/**
 * Responds like the integration SQS-ReceiveMessage of an HTTP API, which the emulator lacks. The response is SQS's own,
 * as JSON, with the headers of the integration. API Gateway adds the CORS headers of the API to responses of all
 * integrations.
 */
export const answerLongPoll = async (poll: LongPoll, receive: ReceiveMessages, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  try {
    const messages = (await receive(poll)).map((body) => ({ Body: body }));
    const content = { ReceiveMessageResponse: { ReceiveMessageResult: { messages: messages.length > 0 ? messages : null } } };
    const cors = request.headers.origin === undefined ? {} : { 'access-control-allow-origin': '*' };
    response.writeHead(200, { 'content-type': 'application/json', ...cors, ...poll.headers, ...endOfStream(poll.headers['content-type']) });
    response.end(JSON.stringify(content));
  } catch {
    sendJson(response, 400, { message: 'Bad Request' });
  }
};
