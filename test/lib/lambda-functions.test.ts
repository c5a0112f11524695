import { environment } from '../../contract/deployment/environment.ts';
import { lambdaEntries } from '../../lib/lambda/lambda-entries.ts';
import { everything, synthesize, variablesOf } from './stack-under-test.ts';

const { ofType, json } = synthesize({ ...everything, removalPolicy: 'destroy' });
const functions = ofType('AWS::Lambda::Function');
const nameOf = ({ Properties }: { Properties: Record<string, unknown> }) => String(Properties['FunctionName']).replace('Postrider-', '');
const variableNames = (name: string): string[] =>
  Object.keys(variablesOf(functions.find((each) => nameOf(each) === name)!))
    .filter((variable) => variable !== 'NODE_OPTIONS')
    .sort();

describe('Lambdas', () => {
  test('has one Lambda for each entry', () => {
    expect(functions.map(nameOf).sort()).toEqual(Object.keys(lambdaEntries).sort());
  });

  test('run on Node.js 24 on arm64, without tracing, with a timeout', () => {
    for (const { Properties } of functions) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        Timeout: expect.any(Number),
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
      expect(json.Resources[LogGroup.Ref]!.Properties).toMatchObject({ LogGroupName: `/aws/lambda/Postrider-${nameOf(each)}`, RetentionInDays: 30 });
    }
  });

  test('every log group has a retention', () => {
    const groups = ofType('AWS::Logs::LogGroup');
    expect(groups.length).toBe(functions.length + 5);
    for (const { Properties } of groups) expect(Properties['RetentionInDays']).toBe(30);
  });

  test('that put messages back into their own queue are not stopped after 16 rounds, and no other has that right', () => {
    const requeuing = functions.filter(({ Properties }) => Properties['RecursiveLoop'] === 'Allow').map(nameOf);
    expect(requeuing.sort()).toEqual(['account-removal', 'deliver', 'push-delivery', 'submit']);
  });

  test('have only variables of contract/deployment/environment.ts, and no secrets among them', () => {
    const known = new Set<string>(Object.values(environment));
    for (const each of functions) for (const name of variableNames(nameOf(each))) expect(known).toContain(name);
    expect(JSON.stringify(functions.map(({ Properties }) => Properties['Environment']))).not.toMatch(/resolve:|SecretString|password/i);
  });

  test.each([
    [
      'domains',
      ['DEPLOYMENT', 'DIRECTORY_TABLE', 'JMAP_SERVER', 'MAIL_BUCKET', 'MAIL_DOMAIN', 'MAIL_TABLE', 'SENDING_TABLE', 'SUBMIT_QUEUE_URL', 'USER_POOL_ID'],
    ],
    ['mail-feedback', ['DIRECTORY_TABLE', 'MAIL_TABLE', 'RECORD_SUBJECTS', 'SENDING_TABLE', 'USER_POOL_ID']],
    ['suppression', ['DIRECTORY_TABLE', 'SENDING_TABLE', 'USER_POOL_ID']],
    ['submit', ['DIRECTORY_TABLE', 'MAIL_BUCKET', 'MAIL_TABLE', 'SENDING_TABLE', 'SES_CONFIGURATION_SET', 'SUBMIT_QUEUE_URL']],
    ['submit-sweep', ['MAIL_BUCKET', 'MAIL_TABLE', 'SENDING_TABLE', 'SUBMIT_QUEUE_URL']],
    ['mail-events', ['DIRECTORY_TABLE', 'DRAINED_QUEUE_URL', 'MAIL_BUCKET', 'MAIL_TABLE', 'SENDING_TABLE']],
    [
      'accounts',
      [
        'ACCOUNT_QUOTA',
        'ACCOUNT_REMOVAL_QUEUE_URL',
        'DELETED_MAIL_RETENTION_DAYS',
        'DIRECTORY_TABLE',
        'HEADLESS_CLIENTS',
        'MAIL_BUCKET',
        'MAIL_CLEANUP_QUEUE_URL',
        'MAIL_TABLE',
        'SENDING_TABLE',
        'SEND_LIMITS',
        'USER_POOL_ID',
      ],
    ],
    ['monitoring', ['DIRECTORY_TABLE', 'MONITORED_RESOURCES', 'USER_POOL_ID']],
    ['aliases', ['DIRECTORY_TABLE', 'FORWARD_OUTSIDE', 'INBOUND_QUEUE_URL', 'MAIL_TABLE', 'SENDING_TABLE', 'USER_POOL_ID']],
    ['setup', ['DIRECTORY_TABLE', 'MAIL_DOMAIN', 'MONITORED_RESOURCES', 'SENDING_TABLE', 'USER_POOL_ID']],
    ['first-admin', ['CONSOLE_URL', 'DIRECTORY_TABLE', 'JMAP_URL', 'USER_POOL_ID']],
    ['pre-token', ['DIRECTORY_TABLE']],
    ['custom-message', ['DIRECTORY_TABLE', 'MAIL_DOMAIN', 'MFA']],
    ['post-confirmation', ['DIRECTORY_TABLE']],
    [
      'jmap',
      [
        'ACCOUNT_QUOTA',
        'DELETED_MAIL_RETENTION_DAYS',
        'DIRECTORY_TABLE',
        'DOWNLOAD_URL',
        'EVENT_SOURCE_QUEUE_URLS',
        'FORWARD_OUTSIDE',
        'INBOUND_QUEUE_URL',
        'JMAP_URL',
        'MAIL_BUCKET',
        'MAIL_CLEANUP_QUEUE_URL',
        'MAIL_DOMAIN',
        'MAIL_TABLE',
        'PUSH_DELIVERY_QUEUE_URL',
        'SENDING_TABLE',
        'SEND_LIMITS',
        'SUBMIT_QUEUE_URL',
        'UPLOAD_URL',
        'USER_POOL_ID',
        'WEB_SOCKET_MANAGEMENT_URL',
        'WEB_SOCKET_URL',
      ],
    ],
    ['uploads', ['ACCOUNT_QUOTA', 'DIRECTORY_TABLE', 'JMAP_URL', 'MAIL_BUCKET', 'MAIL_TABLE', 'USER_POOL_ID']],
    ['downloads', ['DIRECTORY_TABLE', 'JMAP_URL', 'MAIL_BUCKET', 'MAIL_TABLE', 'USER_POOL_ID']],
    ['console', ['ADMIN_API_URL', 'AUTH_URL', 'CLI_CLIENT_ID', 'CONSOLE_CLIENT_ID', 'JMAP_URL', 'MAIL_DOMAIN', 'MFA', 'USER_POOL_ID', 'WEBMAIL_URL']],
    ['webmail', ['AUTH_URL', 'DOWNLOAD_URL', 'JMAP_URL', 'UPLOAD_URL', 'WEBMAIL_CLIENT_ID', 'WEB_SOCKET_URL']],
    ['discovery', ['AUTHORIZATION_API_ID', 'AUTHORIZATION_URL', 'AUTH_URL', 'CLI_CLIENT_ID', 'DYNAMIC_REGISTRATION', 'JMAP_URL', 'USER_POOL_ID']],
    ['registration', ['DIRECTORY_TABLE', 'DYNAMIC_REGISTRATION', 'USER_POOL_ID']],
    ['forwarding-confirmation', ['DIRECTORY_TABLE', 'FORWARD_OUTSIDE']],
    ['registration-sweep', ['DIRECTORY_TABLE', 'USER_POOL_ID']],
    ['web-socket', ['DIRECTORY_TABLE', 'MAIL_TABLE', 'USER_POOL_ID', 'WEB_SOCKET_MANAGEMENT_URL']],
    ['notify', ['DIRECTORY_TABLE', 'MAIL_TABLE', 'PUSH_DELIVERY_QUEUE_URL', 'WEB_SOCKET_MANAGEMENT_URL']],
    ['indexer', ['MAIL_BUCKET', 'MAIL_CLEANUP_QUEUE_URL', 'MAIL_TABLE']],
    ['push-delivery', ['DIRECTORY_TABLE', 'DRAINED_QUEUE_URL', 'MAIL_DOMAIN', 'MAIL_TABLE', 'PUSH_DELIVERY_QUEUE_URL', 'WEB_SOCKET_MANAGEMENT_URL']],
    ['account-removal', ['ACCOUNT_REMOVAL_QUEUE_URL', 'DIRECTORY_TABLE', 'DRAINED_QUEUE_URL', 'MAIL_BUCKET', 'MAIL_TABLE', 'USER_POOL_ID']],
    ['mail-cleanup', ['DRAINED_QUEUE_URL', 'MAIL_BUCKET', 'MAIL_CLEANUP_QUEUE_URL', 'MAIL_TABLE']],
    [
      'users',
      ['CONSOLE_URL', 'DELETED_MAIL_RETENTION_DAYS', 'DIRECTORY_TABLE', 'JMAP_URL', 'MAIL_DOMAIN', 'MFA', 'SIGN_IN_MAIL_FROM', 'USER_POOL_ID', 'WEBMAIL_URL'],
    ],
    [
      'deliver',
      [
        'ACCOUNT_QUOTA',
        'DELETED_MAIL_RETENTION_DAYS',
        'DIRECTORY_TABLE',
        'FORWARD_OUTSIDE',
        'INBOUND_DEAD_LETTERS_URL',
        'INBOUND_QUEUE_URL',
        'JMAP_URL',
        'MAIL_BUCKET',
        'MAIL_TABLE',
        'RECORD_SUBJECTS',
        'SENDING_TABLE',
        'SEND_LIMITS',
        'SIGN_IN_MAIL_FROM',
        'SUBMIT_QUEUE_URL',
      ],
    ],
    ['change-request-worker', ['DIRECTORY_TABLE']],
    ['client-secret', []],
    ['deployed-clients', ['DEPLOYMENT', 'DIRECTORY_TABLE']],
    ['stored-secret', ['DIRECTORY_TABLE', 'MAIL_TABLE']],
    ['receipt-rule-set', []],
    ['prerequisites', []],
    ['identity-sync', ['DIRECTORY_TABLE', 'MAIL_TABLE']],
    ['receipt-rules', ['DEPLOYMENT', 'DIRECTORY_TABLE', 'INBOUND_TOPIC_ARN', 'MAIL_BUCKET', 'RECEIPT_RULES']],
  ])('have exactly these variables: %s %j', (name, variables) => {
    expect(variableNames(name)).toEqual(variables);
  });

  test('get the identityProvider of publicUrls when they verify tokens', () => {
    const { ofType } = synthesize({ domain: 'example.com', publicUrls: '{"identityProvider":"https://id.example.com"}' });
    const names = ofType('AWS::Lambda::Function')
      .filter((each) => 'IDENTITY_PROVIDER_URL' in variablesOf(each))
      .map(nameOf);
    expect(names.sort()).toEqual([...Object.keys(lambdaEntries).slice(0, 13), 'discovery', 'downloads', 'jmap', 'uploads', 'web-socket'].sort());
  });
});
