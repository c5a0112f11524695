import { WebSocket } from 'ws';
import { apiGatewayWebSocketSender } from '../../../../core/aws/api-gateway/api-gateway-web-socket-sender.ts';
import { webSocketSenderSuite, type SocketClient } from '../../../port-suites/web-socket-sender-suite.ts';
import { createStack, eventually, getAtt, lambda, clientConfigFor, ref } from '../../../support/test-emulator.ts';
import { startTestEmulator, type TestEmulator } from '../../../support/test-emulator.ts';

/** A WebSocket API that answers each message with the connection id. */
const route = (name: string, key: string): Record<string, object> => ({
  [name]: {
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: {
      ApiId: ref('Api'), RouteKey: key, RouteResponseSelectionExpression: '$default',
      Target: { 'Fn::Join': ['', ['integrations/', ref('Integration')]] },
    },
  },
});
const template = {
  Resources: {
    ...lambda('Handler', 'exports.handler = async ({ requestContext }) => ({ statusCode: 200, body: requestContext.connectionId });'),
    Api: {
      Type: 'AWS::ApiGatewayV2::Api',
      Properties: { Name: 'sockets', ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.route' },
    },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: { ApiId: ref('Api'), IntegrationType: 'AWS_PROXY', IntegrationUri: getAtt('Handler', 'Arn') },
    },
    ...route('Default', '$default'),
    Answer: {
      Type: 'AWS::ApiGatewayV2::RouteResponse', Properties: { ApiId: ref('Api'), RouteId: ref('Default'), RouteResponseKey: '$default' },
    },
    Stage: { Type: 'AWS::ApiGatewayV2::Stage', Properties: { ApiId: ref('Api'), StageName: 'live', AutoDeploy: true } },
  },
  Outputs: { api: { Value: ref('Api') } },
};

let emulator: TestEmulator;
let managementUrl: string;
const opened: WebSocket[] = [];
beforeAll(async () => {
  emulator = await startTestEmulator();
  const { api } = await createStack(clientConfigFor(emulator.endpoint), 'Sockets', template);
  managementUrl = `${emulator.endpoint}/_aws/execute-api/${api}/live`;
}, 120_000);
afterAll(async () => {
  for (const socket of opened) socket.terminate();
  await emulator.stop();
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
    closed: async () => void await eventually(async () => socket.readyState === WebSocket.CLOSED),
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
