import type { IncomingMessage, ServerResponse } from 'node:http';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { emulatorConfig, type LongPoll } from './deployed-apis.ts';
import { endOfStream, sendJson } from './emulator-upstream.ts';

/** Receives messages of a queue. @returns their bodies; empty when the wait ended without a message. */
export type ReceiveMessages = (queueUrl: string, poll: LongPoll) => Promise<readonly string[]>;

export const receiveMessagesFrom = (emulator: string): ReceiveMessages => {
  const client = new SQSClient({ ...emulatorConfig(emulator), useQueueUrlAsEndpoint: false });
  return async (queueUrl, { waitTimeSeconds, maxNumberOfMessages }) => {
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({
      QueueUrl: queueUrl, WaitTimeSeconds: waitTimeSeconds, MaxNumberOfMessages: maxNumberOfMessages,
    }));
    return Messages.map(({ Body = '' }) => Body);
  };
};

/**
 * Responds like the integration SQS-ReceiveMessage of an HTTP API, which the emulator lacks. The response is SQS's own,
 * as JSON, with the headers of the integration. API Gateway adds the CORS headers of the API to responses of all
 * integrations.
 */
export const answerLongPoll = async (
  poll: LongPoll, receive: ReceiveMessages, request: IncomingMessage, response: ServerResponse,
): Promise<void> => {
  const queueUrl = new URL(request.url!, 'http://gateway').searchParams.get(poll.queueParameter);
  if (!queueUrl) return sendJson(response, 400, { message: 'Bad Request' });
  try {
    const messages = (await receive(queueUrl, poll)).map((body) => ({ Body: body }));
    const content = { ReceiveMessageResponse: { ReceiveMessageResult: { messages: messages.length > 0 ? messages : null } } };
    const cors = request.headers.origin === undefined ? {} : { 'access-control-allow-origin': '*' };
    response.writeHead(200, { 'content-type': 'application/json', ...cors, ...poll.headers, ...endOfStream(poll.headers['content-type']) });
    response.end(JSON.stringify(content));
  } catch {
    sendJson(response, 400, { message: 'Bad Request' });
  }
};
