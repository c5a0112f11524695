import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readable, synthesize } from './stack-under-test.ts';

const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };

test('a deployment with no setting but the domain has a headless client for JMAP with all permissions of mail, and its outputs', () => {
  const { json, ofType } = synthesize({ ...context, domain: 'example.com' });
  expect(readable(json.Outputs['JmapHeadlessClientId']!.Value)).toBe('<UserPoolJmapHeadlessClient>');
  expect(readable(json.Outputs['JmapHeadlessClientSecret']!.Value)).toBe('<HeadlessClientsJmapHeadlessSecret>');
  const client = ofType('AWS::Cognito::UserPoolClient').find(({ Properties }) => Properties['ClientName'] === 'JmapHeadless')!;
  expect(client.Properties['AllowedOAuthScopes']).toEqual(['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND']);
});
