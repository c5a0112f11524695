import { environment } from '../../contract/environment.ts';
import { lambdaEntries } from '../../lib/lambda-entries.ts';
import { everything, synthesize } from './stack-under-test.ts';

const { ofType, json } = synthesize({ ...everything, removalPolicy: 'destroy' });
const functions = ofType('AWS::Lambda::Function');
const nameOf = ({ Properties }: { Properties: Record<string, unknown> }) => String(Properties['FunctionName']).replace('Postrider-', '');
const variablesOf = (name: string) =>
  Object.keys((functions.find((each) => nameOf(each) === name)!.Properties['Environment'] as { Variables: object }).Variables).filter((variable) => variable !== 'NODE_OPTIONS').sort();

describe('Lambdas', () => {
  test('each entry is a Lambda, and each Lambda has an entry', () => {
    expect(functions.map(nameOf).sort()).toEqual(Object.keys(lambdaEntries).sort());
  });

  test('all run on Node.js 24 on arm64, without tracing, with a time limit', () => {
    for (const { Properties } of functions) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler', Timeout: expect.any(Number), MemorySize: expect.any(Number) });
      expect(Properties).not.toHaveProperty('TracingConfig');
    }
  });

  test('those behind an API answer before the gateway gives up after 30 seconds', () => {
    const integrated = JSON.stringify([...ofType('AWS::ApiGatewayV2::Integration')].map(({ Properties }) => Properties['IntegrationUri']));
    const behind = functions.filter(({ id }) => integrated.includes(id));
    expect(behind.length).toBeGreaterThan(15);
    for (const { Properties } of behind) expect(Properties['Timeout']).toBeLessThan(29);
  });

  test('each has a log of its own name that is kept for a month', () => {
    for (const each of functions) {
      const { LogGroup } = each.Properties['LoggingConfig'] as { LogGroup: { Ref: string } };
      expect(json.Resources[LogGroup.Ref]!.Properties).toMatchObject({ LogGroupName: `/aws/lambda/Postrider-${nameOf(each)}`, RetentionInDays: 30 });
    }
  });

  test('every log group is kept for a limited time', () => {
    const groups = ofType('AWS::Logs::LogGroup');
    expect(groups.length).toBe(functions.length + 2);
    for (const { Properties } of groups) expect(Properties['RetentionInDays']).toBe(30);
  });

  test('each has an alarm on errors', () => {
    const watched = ofType('AWS::CloudWatch::Alarm').filter(({ Properties }) => Properties['MetricName'] === 'Errors')
      .map(({ Properties }) => (Properties['Dimensions'] as { Value: { Ref: string } }[])[0]!.Value.Ref);
    expect(watched.sort()).toEqual(functions.map(({ id }) => id).sort());
  });

  test('the environment carries names of contract/environment.ts only, and nothing that looks like a secret', () => {
    const known = new Set<string>(Object.values(environment));
    for (const each of functions) for (const name of variablesOf(nameOf(each))) expect(known).toContain(name);
    expect(JSON.stringify(functions.map(({ Properties }) => Properties['Environment']))).not.toMatch(/resolve:|SecretString|password/i);
  });

  test.each([
    ['domains', ['DIRECTORY_TABLE', 'JMAP_SERVER', 'MAIL_DOMAIN', 'PAGE_TOKEN_SECRET_ARN', 'SENDING_TABLE', 'SUBMIT_QUEUE_URL', 'USER_POOL_ID']],
    ['mail-feedback', ['DIRECTORY_TABLE', 'PAGE_TOKEN_SECRET_ARN', 'SENDING_TABLE', 'USER_POOL_ID']],
    ['suppression', ['DIRECTORY_TABLE', 'PAGE_TOKEN_SECRET_ARN', 'SENDING_TABLE', 'USER_POOL_ID']],
    ['submit', ['SENDING_TABLE', 'SES_CONFIGURATION_SET', 'SUBMIT_QUEUE_URL']],
    ['submit-sweep', ['SENDING_TABLE', 'SUBMIT_QUEUE_URL']],
    ['mail-events', ['SENDING_TABLE']],
    ['accounts', ['ACCOUNT_REMOVAL_QUEUE_URL', 'DIRECTORY_TABLE', 'HEADLESS_CLIENT_IDS', 'MAIL_TABLE', 'PAGE_TOKEN_SECRET_ARN', 'USER_POOL_ID']],
    ['monitoring', ['DIRECTORY_TABLE', 'MONITORED_RESOURCES', 'PAGE_TOKEN_SECRET_ARN', 'USER_POOL_ID']],
    ['aliases', ['DIRECTORY_TABLE', 'PAGE_TOKEN_SECRET_ARN', 'USER_POOL_ID']],
    ['setup', ['DIRECTORY_TABLE', 'MAIL_DOMAIN', 'PAGE_TOKEN_SECRET_ARN', 'USER_POOL_ID']],
    ['first-admin', ['DIRECTORY_TABLE', 'USER_POOL_ID']],
    ['pre-token', ['DIRECTORY_TABLE']],
    ['jmap', ['DIRECTORY_TABLE', 'JMAP_URL', 'MAIL_BUCKET', 'MAIL_DOMAIN', 'MAIL_TABLE', 'USER_POOL_ID', 'VAPID_SECRET_ARN', 'WEB_PUSH_QUEUE_URL', 'WEB_SOCKET_MANAGEMENT_URL', 'WEB_SOCKET_URL']],
    ['blobs', ['DIRECTORY_TABLE', 'JMAP_URL', 'MAIL_BUCKET', 'USER_POOL_ID']],
    ['discovery', ['AUTH_URL', 'DYNAMIC_REGISTRATION', 'JMAP_URL', 'USER_POOL_ID']],
    ['registration', ['DIRECTORY_TABLE', 'DYNAMIC_REGISTRATION', 'USER_POOL_ID']],
    ['registration-sweep', ['DIRECTORY_TABLE', 'USER_POOL_ID']],
    ['websocket', ['DIRECTORY_TABLE', 'MAIL_TABLE', 'USER_POOL_ID']],
    ['notify', ['DIRECTORY_TABLE', 'MAIL_TABLE', 'WEB_PUSH_QUEUE_URL', 'WEB_SOCKET_MANAGEMENT_URL']],
    ['web-push', ['DIRECTORY_TABLE', 'MAIL_DOMAIN', 'MAIL_TABLE', 'VAPID_SECRET_ARN', 'WEB_PUSH_QUEUE_URL']],
    ['account-removal', ['ACCOUNT_REMOVAL_QUEUE_URL', 'DIRECTORY_TABLE', 'MAIL_BUCKET', 'MAIL_TABLE']],
    ['deliver', ['DIRECTORY_TABLE', 'MAIL_BUCKET', 'MAIL_TABLE']],
    ['change-request-worker', ['DIRECTORY_TABLE']],
    ['client-secret', []],
    ['receipt-rule-set', []],
  ])('%s is told %j', (name, variables) => {
    expect(variablesOf(name)).toEqual(variables);
  });

  test('the place of the key set is told to all that verify tokens, when it is not Cognito’s own', () => {
    const { ofType } = synthesize({ domain: 'example.com', publicUrls: '{"identityProvider":"https://id.example.com"}' });
    const told = ofType('AWS::Lambda::Function').filter(({ Properties }) => 'IDENTITY_PROVIDER_URL' in (Properties['Environment'] as { Variables: object }).Variables).map(nameOf);
    expect(told.sort()).toEqual([...Object.keys(lambdaEntries).slice(0, 13), 'blobs', 'discovery', 'jmap', 'websocket'].sort());
  });
});
