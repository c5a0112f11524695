import { eventSourceWait } from '../../../contract/jmap/push.ts';
import { readable, synthesize, variablesOf } from '../stack-under-test.ts';

const { ofType } = synthesize({ domain: 'example.com' });
const queues = ofType('AWS::SQS::Queue').filter(({ id }) => id.startsWith('JmapApiEventSourceWaitsWait'));
const waits = ofType('AWS::ApiGatewayV2::Integration').filter(({ Properties }) => Properties['IntegrationSubtype'] !== undefined);

describe('the event source', () => {
  test('holds waiting clients for less than API Gateway’s time-out, as event streams', () => {
    for (const { Properties } of waits)
      expect(Properties).toMatchObject({
        IntegrationType: 'AWS_PROXY',
        IntegrationSubtype: 'SQS-ReceiveMessage',
        PayloadFormatVersion: '1.0',
        RequestParameters: { WaitTimeSeconds: '20', MaxNumberOfMessages: '1' },
        ResponseParameters: {
          200: {
            ResponseParameters: [
              { Destination: 'overwrite:header.content-type', Source: 'text/event-stream' },
              { Destination: 'overwrite:header.cache-control', Source: 'no-store' },
            ],
          },
        },
      });
  });

  test('receives from one queue at each route, and takes no queue from a request', () => {
    const urls = waits.map(({ Properties }) => (Properties['RequestParameters'] as { readonly QueueUrl: unknown }).QueueUrl);
    expect(urls).toEqual(queues.map(({ id }) => ({ Ref: id })));
    expect(JSON.stringify(waits)).not.toContain('$request');
  });

  test('creates the routes of an update before the Lambda redirects clients to them', () => {
    const routes = ofType('AWS::ApiGatewayV2::Route').filter(({ Properties }) => String(Properties['RouteKey']).includes('/eventsource/wait/'));
    expect(routes).toHaveLength(eventSourceWait.queues);
    const { DependsOn } = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-jmap')!;
    expect(DependsOn).toEqual(expect.arrayContaining(routes.map(({ id }) => id)));
  });

  test('has API Gateway receive from its queues only', () => {
    const role = ofType('AWS::IAM::Role').find(({ id }) => id.startsWith('JmapApiEventSourceWaitsRole'))!;
    expect(role.Properties['AssumeRolePolicyDocument']).toMatchObject({
      Statement: [{ Action: 'sts:AssumeRole', Principal: { Service: 'apigateway.amazonaws.com' } }],
    });
    const policy = ofType('AWS::IAM::Policy').find(({ id }) => id.startsWith('JmapApiEventSourceWaitsRole'))!;
    const { Statement } = policy.Properties['PolicyDocument'] as { Statement: readonly { Action: unknown; Resource: unknown[] }[] };
    expect(Statement.map(({ Action }) => Action)).toEqual(['sqs:ReceiveMessage']);
    expect(Statement[0]!.Resource.map(readable).sort()).toEqual(queues.map(({ id }) => `<${id.slice(0, -8)}.Arn>`).sort());
  });

  test('has queues whose messages are received once and kept for a minute', () => {
    expect(queues).toHaveLength(eventSourceWait.queues);
    for (const { Properties } of queues) {
      expect(Properties).toEqual({ MessageRetentionPeriod: 60, VisibilityTimeout: 43_200, SqsManagedSseEnabled: true });
    }
  });

  test('leaves the jmap Lambda’s variables within 4 KB, also with the longest names', () => {
    const jmap = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-jmap')!;
    const longest = (value: unknown): string =>
      readable(value)
        .replaceAll(/<JmapApiEventSourceWaitsWait\d+>/g, `https://sqs.ap-southeast-1.amazonaws.com/123456789012/${'x'.repeat(80)}`)
        .replaceAll('<AWS::Region>', 'ap-southeast-1')
        .replaceAll('<AWS::URLSuffix>', 'amazonaws.com.cn')
        // The id of an API has ten characters.
        .replaceAll(/<(?:WebSocketApi|JmapApiBlobs)\w*>/g, 'x'.repeat(10))
        .replaceAll(/<[^>]+>/g, 'x'.repeat(80));
    const size = Object.entries(variablesOf(jmap)).reduce((sum, [name, value]) => sum + name.length + longest(value).length, 0);
    expect(size).toBeLessThan(3_900);
  });
});
