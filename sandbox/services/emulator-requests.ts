import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** Sends a request to the emulator unchanged, with signature and Host. */
const sendToEmulator = (endpoint: string, incoming: IncomingMessage, content: Buffer, headers = {}): Promise<IncomingMessage> => {
  const target = new URL(incoming.url ?? '/', endpoint);
  const options = { method: incoming.method, headers: { ...incoming.headers, ...headers }, timeout: 15_000 };
  return new Promise((resolve, reject) => {
    const outgoing = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, options, resolve);
    outgoing.on('timeout', () => outgoing.destroy(new Error('The emulator does not answer')));
    outgoing.on('error', reject);
    outgoing.end(content);
  });
};

const passOn = (theirs: IncomingMessage, response: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    response.writeHead(theirs.statusCode ?? 502, theirs.headers);
    theirs.on('error', reject).pipe(response).on('finish', resolve).on('error', reject);
  });

/** Lets the emulator answer a request. */
export const forwardToEmulator = async (endpoint: string, incoming: IncomingMessage, content: Buffer, response: ServerResponse): Promise<void> =>
  passOn(await sendToEmulator(endpoint, incoming, content), response);

/**
 * Answers a request that the model of the service does not allow: the emulator compares them (`request_models`), and does
 * nothing else with the request.
 * @returns whether it was answered.
 */
export const refuseByModel = async (
  endpoint: string,
  service: string,
  incoming: IncomingMessage,
  content: Buffer,
  response: ServerResponse,
): Promise<boolean> => {
  const theirs = await sendToEmulator(endpoint, incoming, content, { 'x-postrider-check': service });
  if (theirs.statusCode === 204) {
    theirs.resume();
    return false;
  }
  await passOn(theirs, response);
  return true;
};
