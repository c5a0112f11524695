import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { DescribeTimeToLiveCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, GetBucketTaggingCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { DescribeActiveReceiptRuleSetCommand, SESClient, SetActiveReceiptRuleSetCommand } from '@aws-sdk/client-ses';
import { getAtt, lambda, ref, withEmulator } from '../../support/test-emulator.ts';

const fixture = withEmulator();

describe('a template’s resource', () => {
  test('receipt rules are returned by SES, which tests their buckets by an object', async () => {
    const s3 = new S3Client({ ...fixture.clientConfig, forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket: 'mail' }));
    const actions = [{ S3Action: { BucketName: 'mail', ObjectKeyPrefix: 'inbound/', TopicArn: 'arn:aws:sns:us-east-1:000000000000:inbound' } }];
    const outputs = await fixture.deploy({
      Resources: {
        Rules: { Type: 'AWS::SES::ReceiptRuleSet', Properties: {} },
        First: {
          Type: 'AWS::SES::ReceiptRule',
          Properties: {
            RuleSetName: ref('Rules'),
            Rule: { Name: 'deliver', Enabled: true, ScanEnabled: true, TlsPolicy: 'Optional', Recipients: ['example.test'], Actions: actions },
          },
        },
        Second: {
          Type: 'AWS::SES::ReceiptRule',
          Properties: { RuleSetName: ref('Rules'), After: ref('First'), Rule: { Enabled: false, Actions: [{ StopAction: { Scope: 'RuleSet' } }] } },
        },
      },
      Outputs: { set: { Value: ref('Rules') }, first: { Value: ref('First') } },
    });
    const ses = new SESClient(fixture.clientConfig);
    await ses.send(new SetActiveReceiptRuleSetCommand({ RuleSetName: outputs['set'] }));
    const active = await ses.send(new DescribeActiveReceiptRuleSetCommand({}));
    expect(active.Metadata?.Name).toBe(outputs['set']);
    expect(outputs['first']).toBe('deliver');
    expect(active.Rules?.[0]).toEqual({
      Name: 'deliver',
      Enabled: true,
      ScanEnabled: true,
      TlsPolicy: 'Optional',
      Recipients: ['example.test'],
      Actions: actions,
    });
    expect(active.Rules?.[1]).toMatchObject({ Enabled: false, Actions: [{ StopAction: { Scope: 'RuleSet' } }] });
    const { Contents: objects = [] } = await s3.send(new ListObjectsV2Command({ Bucket: 'mail' }));
    expect(objects.map(({ Key }) => Key)).toEqual(['inbound/AMAZON_SES_SETUP_NOTIFICATION']);
  });

  test('an email identity has attributes for its three DKIM records', async () => {
    const outputs = await fixture.deploy({
      Resources: { Identity: { Type: 'AWS::SES::EmailIdentity', Properties: { EmailIdentity: 'example.test' } } },
      Outputs: { name: { Value: getAtt('Identity', 'DkimDNSTokenName3') }, value: { Value: getAtt('Identity', 'DkimDNSTokenValue3') } },
    });
    const [token] = outputs['name']!.split('.');
    expect(token).toMatch(/^[a-z2-7]{32}$/);
    expect(outputs).toEqual({ name: `${token}._domainkey.example.test`, value: `${token}.dkim.amazonses.com` });
  });

  test('a managed login branding is created', async () => {
    const outputs = await fixture.deploy({
      Resources: {
        Pool: { Type: 'AWS::Cognito::UserPool', Properties: {} },
        Branding: { Type: 'AWS::Cognito::ManagedLoginBranding', Properties: { UserPoolId: ref('Pool'), UseCognitoProvidedValues: true } },
      },
      Outputs: { branding: { Value: getAtt('Branding', 'ManagedLoginBrandingId') } },
    });
    expect(outputs['branding']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a user pool has the attribute ProviderURL', async () => {
    const outputs = await fixture.deploy({
      Resources: { Pool: { Type: 'AWS::Cognito::UserPool', Properties: {} } },
      Outputs: { id: { Value: ref('Pool') }, url: { Value: getAtt('Pool', 'ProviderURL') } },
    });
    expect(outputs['url']).toBe(`https://cognito-idp.us-east-1.amazonaws.com/${outputs['id']}`);
  });

  test('a query definition is created', async () => {
    const outputs = await fixture.deploy({
      Resources: { Query: { Type: 'AWS::Logs::QueryDefinition', Properties: { Name: 'errors', QueryString: 'filter level = "ERROR"' } } },
      Outputs: { id: { Value: getAtt('Query', 'QueryDefinitionId') } },
    });
    expect(outputs['id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a composite alarm is created', async () => {
    const alarm = {
      Namespace: 'Trial',
      MetricName: 'Errors',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      Statistic: 'Sum',
    };
    const outputs = await fixture.deploy({
      Resources: {
        One: { Type: 'AWS::CloudWatch::Alarm', Properties: { AlarmName: 'one', ...alarm } },
        All: {
          Type: 'AWS::CloudWatch::CompositeAlarm',
          DependsOn: 'One',
          Properties: { AlarmRule: 'ALARM("one")', AlarmActions: ['arn:aws:sns:us-east-1:000000000000:operators'] },
        },
      },
      Outputs: { name: { Value: ref('All') }, arn: { Value: getAtt('All', 'Arn') } },
    });
    const found = await new CloudWatchClient(fixture.clientConfig).send(
      new DescribeAlarmsCommand({ AlarmNames: [outputs['name']!], AlarmTypes: ['CompositeAlarm'] }),
    );
    expect(found.CompositeAlarms?.[0]).toMatchObject({ AlarmArn: outputs['arn'], AlarmRule: 'ALARM("one")' });
  });

  test('a trail is created and logs', async () => {
    const outputs = await fixture.deploy({
      Resources: { Trail: { Type: 'AWS::CloudTrail::Trail', Properties: { IsLogging: true, S3BucketName: 'trail' } } },
      Outputs: { name: { Value: ref('Trail') }, arn: { Value: getAtt('Trail', 'Arn') } },
    });
    expect(outputs['arn']).toBe(`arn:aws:cloudtrail:us-east-1:000000000000:trail/${outputs['name']}`);
  });

  test('Ref of a secret is its ARN', async () => {
    const outputs = await fixture.deploy({
      Resources: { Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'trial' } } },
      Outputs: { ref: { Value: ref('Secret') } },
    });
    expect(outputs['ref']).toMatch(/^arn:aws:secretsmanager:us-east-1:000000000000:secret:trial-.{6}$/);
  });

  test('a custom resource fails at once when its Lambda fails, with the reason', async () => {
    const deployment = fixture.deploy({
      Resources: {
        ...lambda('Failing', 'exports.handler = async () => { throw new Error("no such thing"); }'),
        Custom: { Type: 'Custom::Failing', Properties: { ServiceToken: getAtt('Failing', 'Arn'), ServiceTimeout: 30 } },
      },
    });
    await expect(deployment).rejects.toThrow('Custom: The Lambda failed: no such thing');
  });

  test('a table has the template’s time to live', async () => {
    const outputs = await fixture.deploy({
      Resources: {
        Table: {
          Type: 'AWS::DynamoDB::GlobalTable',
          Properties: {
            BillingMode: 'PAY_PER_REQUEST',
            Replicas: [{ Region: 'us-east-1' }],
            AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
            KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
            TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
          },
        },
      },
      Outputs: { name: { Value: ref('Table') } },
    });
    const found = await new DynamoDBClient(fixture.clientConfig).send(new DescribeTimeToLiveCommand({ TableName: outputs['name'] }));
    expect(found.TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' });
  });

  test('a bucket has its tags', async () => {
    const outputs = await fixture.deploy({
      Resources: { Bucket: { Type: 'AWS::S3::Bucket', Properties: { Tags: [{ Key: 'aws-cdk:auto-delete-objects', Value: 'true' }] } } },
      Outputs: { name: { Value: ref('Bucket') } },
    });
    const found = await new S3Client({ ...fixture.clientConfig, forcePathStyle: true }).send(new GetBucketTaggingCommand({ Bucket: outputs['name'] }));
    expect(found.TagSet).toEqual([{ Key: 'aws-cdk:auto-delete-objects', Value: 'true' }]);
  });
});
