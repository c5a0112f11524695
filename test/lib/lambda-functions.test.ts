import { environment } from '../../contract/environment.ts';
import { lambdaEntries } from '../../lib/lambda-entries.ts';
import { everything, synthesize, variablesOf } from './stack-under-test.ts';

const { ofType, json } = synthesize({ ...everything, removalPolicy: 'destroy' });
const functions = ofType('AWS::Lambda::Function');
const nameOf = ({ Properties }: { Properties: Record<string, unknown> }) => String(Properties['FunctionName']).replace('Postrider-', '');
const variableNames = (name: string): string[] =>
  Object.keys(variablesOf(functions.find((each) => nameOf(each) === name)!)).filter((variable) => variable !== 'NODE_OPTIONS').sort();

describe('Lambdas', () => {
  test('has one Lambda for each entry', () => {
    expect(functions.map(nameOf).sort()).toEqual(Object.keys(lambdaEntries).sort());
  });

  test('run on Node.js 24 on arm64, without tracing, with a timeout', () => {
    for (const { Properties } of functions) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler', Timeout: expect.any(Number),
        MemorySize: expect.any(Number),
      });
      expect(Properties).not.toHaveProperty('TracingConfig');
    }
  });

  test('behind an API time out before API Gateway does after 30 seconds', () => {
    const integrated = JSON.stringify([...ofType('AWS::ApiGatewayV2::Integration')].map(({ Properties }) => Properties['IntegrationUri']));
    const behind = functions.filter(({ id }) => integrated.includes(id));
    expect(behind.length).toBeGreaterThan(15);
    for (const { Properties } of behind) expect(Properties['Timeout']).toBeLessThan(29);
  });

  test('have a log group each, whose logs are kept for a month', () => {
    for (const each of functions) {
      const { LogGroup } = each.Properties['LoggingConfig'] as { LogGroup: { Ref: string } };
      expect(json.Resources[LogGroup.Ref]!.Properties).toMatchObject({
        LogGroupName: `/aws/lambda/Postrider-${nameOf(each)}`, RetentionInDays: 30,
      });
    }
  });

  test('every log group has a retention', () => {
    const groups = ofType('AWS::Logs::LogGroup');
    expect(groups.length).toBe(functions.length + 2);
    for (const { Properties } of groups) expect(Properties['RetentionInDays']).toBe(30);
  });

  test('have an alarm on errors each', () => {
    const watched = ofType('AWS::CloudWatch::Alarm').filter(({ Properties }) => Properties['MetricName'] === 'Errors')
      .map(({ Properties }) => (Properties['Dimensions'] as { Value: { Ref: string } }[])[0]!.Value.Ref);
    expect(watched.sort()).toEqual(functions.map(({ id }) => id).sort());
  });

  test('that put messages back into their own queue are not stopped after 16 rounds, and no other has that right', () => {
    const requeuing = functions.filter(({ Properties }) => Properties['RecursiveLoop'] === 'Allow').map(nameOf);
    expect(requeuing.sort()).toEqual(['account-removal', 'deliver', 'submit', 'web-push']);
  });

  test('have only variables of contract/environment.ts, and no secrets among them', () => {
    const known = new Set<string>(Object.values(environment));
    for (const each of functions) for (const name of variableNames(nameOf(each))) expect(known).toContain(name);
    expect(JSON.stringify(functions.map(({ Properties }) => Properties['Environment']))).not.toMatch(/resolve:|SecretString|password/i);
  });

  test.each([
    [
      'domains',
      [
        'DEPLOYMENT', 'DIRECTORY_TABLE', 'JMAP_SERVER', 'MAIL_DOMAIN', 'PAGE_TOKEN_SECRET_ARN', 'SENDING_TABLE', 'SUBMIT_QUEUE_URL',
        'USER_POOL_ID',
      ],
    ],
    ['mail-feedback', ['DIRECTORY_TABLE', 'PAGE_TOKEN_SECRET_ARN', 'SENDING_TABLE', 'USER_POOL_ID']],
    ['suppression', ['DIRECTORY_TABLE', 'PAGE_TOKEN_SECRET_ARN', 'SENDING_TABLE', 'USER_POOL_ID']],
    ['submit', ['SENDING_TABLE', 'SES_CONFIGURATION_SET', 'SUBMIT_QUEUE_URL']],
    ['submit-sweep', ['SENDING_TABLE', 'SUBMIT_QUEUE_URL']],
    ['mail-events', ['DRAINED_QUEUE_URL', 'SENDING_TABLE']],
    [
      'accounts',
      ['ACCOUNT_REMOVAL_QUEUE_URL', 'DIRECTORY_TABLE', 'HEADLESS_CLIENT_IDS', 'MAIL_TABLE', 'PAGE_TOKEN_SECRET_ARN', 'USER_POOL_ID'],
    ],
    ['monitoring', ['DIRECTORY_TABLE', 'MONITORED_RESOURCES', 'PAGE_TOKEN_SECRET_ARN', 'USER_POOL_ID']],
    ['aliases', ['DIRECTORY_TABLE', 'PAGE_TOKEN_SECRET_ARN', 'USER_POOL_ID']],
    ['setup', ['DIRECTORY_TABLE', 'MAIL_DOMAIN', 'PAGE_TOKEN_SECRET_ARN', 'SENDING_TABLE', 'USER_POOL_ID']],
    ['first-admin', ['DIRECTORY_TABLE', 'USER_POOL_ID']],
    ['pre-token', ['DIRECTORY_TABLE']],
    [
      'jmap',
      [
        'DIRECTORY_TABLE', 'JMAP_URL', 'MAIL_BUCKET', 'MAIL_DOMAIN', 'MAIL_TABLE', 'USER_POOL_ID', 'VAPID_SECRET_ARN', 'WEB_PUSH_QUEUE_URL',
        'WEB_SOCKET_MANAGEMENT_URL', 'WEB_SOCKET_URL',
      ],
    ],
    ['blobs', ['DIRECTORY_TABLE', 'JMAP_URL', 'MAIL_BUCKET', 'USER_POOL_ID']],
    ['discovery', ['AUTH_URL', 'DYNAMIC_REGISTRATION', 'JMAP_URL', 'USER_POOL_ID']],
    ['registration', ['DIRECTORY_TABLE', 'DYNAMIC_REGISTRATION', 'USER_POOL_ID']],
    ['registration-sweep', ['DIRECTORY_TABLE', 'USER_POOL_ID']],
    ['websocket', ['DIRECTORY_TABLE', 'MAIL_TABLE', 'USER_POOL_ID', 'WEB_SOCKET_MANAGEMENT_URL']],
    ['notify', ['DIRECTORY_TABLE', 'MAIL_TABLE', 'WEB_PUSH_QUEUE_URL', 'WEB_SOCKET_MANAGEMENT_URL']],
    ['indexer', ['MAIL_BUCKET', 'MAIL_TABLE']],
    ['web-push', [
      'DIRECTORY_TABLE', 'DRAINED_QUEUE_URL', 'MAIL_DOMAIN', 'MAIL_TABLE', 'VAPID_SECRET_ARN', 'WEB_PUSH_QUEUE_URL',
      'WEB_SOCKET_MANAGEMENT_URL',
    ]],
    ['account-removal', ['ACCOUNT_REMOVAL_QUEUE_URL', 'DIRECTORY_TABLE', 'DRAINED_QUEUE_URL', 'MAIL_BUCKET', 'MAIL_TABLE']],
    ['deliver', ['DIRECTORY_TABLE', 'INBOUND_QUEUE_URL', 'MAIL_BUCKET', 'MAIL_TABLE']],
    ['change-request-worker', ['DIRECTORY_TABLE']],
    ['client-secret', []],
    ['receipt-rule-set', []],
  ])('have exactly these variables: %s %j', (name, variables) => {
    expect(variableNames(name)).toEqual(variables);
  });

  test('get the identityProvider of publicUrls when they verify tokens', () => {
    const { ofType } = synthesize({ domain: 'example.com', publicUrls: '{"identityProvider":"https://id.example.com"}' });
    const names = ofType('AWS::Lambda::Function').filter((each) => 'IDENTITY_PROVIDER_URL' in variablesOf(each)).map(nameOf);
    expect(names.sort()).toEqual([...Object.keys(lambdaEntries).slice(0, 13), 'blobs', 'discovery', 'jmap', 'websocket'].sort());
  });
});
