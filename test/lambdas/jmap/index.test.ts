import { environment } from '../../../contract/deployment/environment.ts';

describe('the handler of the JMAP Lambda', () => {
  const before = { ...process.env };
  afterAll(() => {
    process.env = before;
  });

  test('is configured by environment variables only', async () => {
    Object.assign(process.env, {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      AWS_MAX_ATTEMPTS: '1',
      [environment.directoryTable]: 'directory',
      [environment.mailTable]: 'mail',
      [environment.mailBucket]: 'bucket',
      [environment.sendingTable]: 'sending',
      [environment.userPoolId]: 'us-east-1_abc',
      [environment.jmapUrl]: 'https://jmap.example.test',
      [environment.uploadUrl]: 'https://jmap.example.test/upload',
      [environment.downloadUrl]: 'https://jmap.example.test/download',
      [environment.webSocketUrl]: 'wss://ws.example.test',
      [environment.mailDomain]: 'example.test',
      [environment.forwardOutside]: 'true',
      [environment.inboundQueueUrl]: 'https://sqs.us-east-1.amazonaws.com/111122223333/inbound',
      [environment.submitQueueUrl]: 'https://sqs.us-east-1.amazonaws.com/111122223333/submits',
      [environment.pushDeliveryQueueUrl]: 'https://sqs.us-east-1.amazonaws.com/111122223333/pushes',
      [environment.mailCleanupQueueUrl]: 'https://sqs.us-east-1.amazonaws.com/111122223333/cleanup',
      [environment.webSocketManagementUrl]: 'https://ws.example.test/jmap',
    });
    const { handler } = await import('../../../lambdas/jmap/index.ts');
    const event = { rawPath: '/.well-known/jmap', headers: {}, requestContext: { http: { method: 'GET' } } };
    expect(await handler(event as never, { getRemainingTimeInMillis: () => 28_000, awsRequestId: 'run-1' })).toMatchObject({ statusCode: 401 });
  });
});
