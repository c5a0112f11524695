import { WebSocket } from 'ws';
import { apiGatewayWebSocketSender } from '../../../core/aws/api-gateway-web-socket-sender.ts';
import { webSocketSenderSuite, type SocketClient } from '../../port-suites/web-socket-sender-suite.ts';
import { clientConfigFor, createStack, eventually, ref, webSocketApi, withTestEmulator } from '../../support/test-emulator.ts';

/** A WebSocket API that answers each message with the connection id. */
const template = {
  Resources: webSocketApi('exports.handler = async ({ requestContext }) => ({ statusCode: 200, body: requestContext.connectionId });', { $default: true }),
  Outputs: { api: { Value: ref('Api') } },
};

const emulator = withTestEmulator();
let managementUrl: string;
const opened: WebSocket[] = [];
beforeAll(async () => {
  const { api } = await createStack(clientConfigFor(emulator.endpoint), 'Sockets', template);
  managementUrl = `${emulator.endpoint}/_aws/execute-api/${api}/live`;
});
afterAll(() => {
  for (const socket of opened) socket.terminate();
});

const connect = async (): Promise<SocketClient> => {
  const socket = new WebSocket(managementUrl.replace('http', 'ws'));
  opened.push(socket);
  const messages: string[] = [];
  socket.on('message', (data: Buffer) => void messages.push(data.toString()));
  await new Promise((done, fail) => void socket.once('open', done).once('error', fail));
  socket.send('{}');
  const connectionId = await eventually(async () => messages.shift());
  return {
    connectionId,
    received: (count) => eventually(async () => messages.length >= count && messages.slice(0, count)),
    closed: async () => void (await eventually(async () => socket.readyState === WebSocket.CLOSED)),
    async leave() {
      socket.close();
      await eventually(async () => socket.readyState === WebSocket.CLOSED);
    },
  };
};

describe('the WebSocket sender of API Gateway', () => {
  webSocketSenderSuite(async () => ({ sender: apiGatewayWebSocketSender(managementUrl), connect }));

  test('an unreachable API is an error within seconds', async () => {
    const begun = Date.now();
    const nowhere = apiGatewayWebSocketSender('http://127.0.0.1:1/live');
    await expect(nowhere.post('0123456789abcdef', 'text')).rejects.toThrow();
    await expect(nowhere.close('0123456789abcdef')).rejects.toThrow();
    expect(Date.now() - begun).toBeLessThan(30_000);
  });
});
