import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { everything, readable, refOf, synthesize } from './stack-under-test.ts';
import { stacksFor } from './stacks-for.ts';

const { ofType, json, templates } = synthesize({ ...everything, lambdaConcurrency: 1_000 });
const allQueues = ofType('AWS::SQS::Queue');
/**
 * The queues on which clients of the event source wait. A message that no client receives within a minute is useless.
 */
const waits = allQueues.filter(({ id }) => id.startsWith('JmapApiEventSourceWaits'));
const queues = allQueues.filter((queue) => !waits.includes(queue));
const workQueues = queues.filter(({ Properties }) => Properties['RedrivePolicy']);
const deadLetters = queues.filter(({ Properties }) => !Properties['RedrivePolicy']);
const deadLettersOf = (properties: Record<string, unknown>) =>
  (properties['RedrivePolicy'] as { deadLetterTargetArn: { 'Fn::GetAtt': [string] } }).deadLetterTargetArn['Fn::GetAtt'][0];
const alarms = ofType('AWS::CloudWatch::Alarm');

/** A Lambda with its event source mapping and queue. */
const consumer = (name: string) => {
  const lambda = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === `Postrider-${name}`)!;
  const mapping = ofType('AWS::Lambda::EventSourceMapping').find(({ Properties }) => refOf(Properties['FunctionName']) === lambda.id)!;
  const queue = json.Resources[(mapping.Properties['EventSourceArn'] as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0]]!;
  return { lambda: lambda.Properties, mapping: mapping.Properties, queue: queue.Properties };
};

describe('queues', () => {
  test('have a dead-letter queue each after five attempts, and so have the streams', () => {
    expect(workQueues.length).toBeGreaterThan(2);
    type OnFailure = { OnFailure: { Destination: { 'Fn::GetAtt': [string] } } };
    const ofStreams = ofType('AWS::Lambda::EventSourceMapping').flatMap(
      ({ Properties }) => (Properties['DestinationConfig'] as OnFailure | undefined)?.OnFailure.Destination['Fn::GetAtt'][0] ?? [],
    );
    expect([...workQueues.map(({ Properties }) => deadLettersOf(Properties)), ...new Set(ofStreams)].sort()).toEqual(deadLetters.map(({ id }) => id).sort());
    for (const { Properties } of workQueues) expect(Properties['RedrivePolicy']).toMatchObject({ maxReceiveCount: 5 });
  });

  test('pass each message to a Lambda call of its own, except received mail, SES events, and pushes, which only wait for push services and sockets', () => {
    const queueIds = workQueues.map(({ id }) => id);
    const sizes = ofType('AWS::Lambda::EventSourceMapping').flatMap(({ Properties }) => {
      const source = (Properties['EventSourceArn'] as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0];
      return queueIds.includes(source) ? [[readable(Properties['FunctionName']), Properties['BatchSize']]] : [];
    });
    expect(sizes).toHaveLength(workQueues.length);
    expect(sizes.filter(([, size]) => size !== 1)).toEqual([
      [expect.stringContaining('MailEvents'), 10],
      [expect.stringContaining('Deliver'), 10],
      [expect.stringContaining('PushDelivery'), 10],
    ]);
  });

  test('are encrypted, keep messages for 14 days, wake-ups for a minute, and need TLS', () => {
    const policies = ofType('AWS::SQS::QueuePolicy')
      .filter(({ Properties }) => JSON.stringify(Properties).includes('"aws:SecureTransport":"false"'))
      .flatMap(({ Properties }) => (Properties['Queues'] as unknown[]).map(refOf));
    expect(policies.sort()).toEqual(allQueues.map(({ id }) => id).sort());
    for (const { Properties } of queues) {
      expect(Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 });
    }
    expect(waits.length).toBeGreaterThan(0);
    for (const { Properties } of waits) expect(Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 60 });
  });
});

test('recipients that no account receives are counted by outcome, from the log of deliver', () => {
  const filters = ofType('AWS::Logs::MetricFilter').filter(({ id }) => id.startsWith('InboundMailUndeliverable'));
  expect(filters.map(({ Properties }) => [readable(Properties['LogGroupName']), Properties])).toEqual(
    [
      ['UndeliverableBounced', 'bounced'],
      ['UndeliverableNotBounced', 'not bounced'],
      ['UndeliverableWaiting', 'waiting for room'],
    ].map(([name, outcome]) => [
      expect.stringContaining('DeliverLog'),
      expect.objectContaining({
        FilterPattern: `{ $.message = "undeliverable: ${outcome}" }`,
        MetricTransformations: [{ MetricNamespace: 'Postrider/Postrider', MetricName: name, MetricValue: '$.recipients' }],
      }),
    ]),
  );
});

test('mail that waits for room in a full account is measured by its true age', () => {
  const [filter] = ofType('AWS::Logs::MetricFilter').filter(({ id }) => id.startsWith('InboundMailWaitingForRoom'));
  expect(readable(filter!.Properties['LogGroupName'])).toContain('DeliverLog');
  expect(filter!.Properties).toMatchObject({
    FilterPattern: '{ $.message = "undeliverable: waiting for room" }',
    MetricTransformations: [{ MetricNamespace: 'Postrider/Postrider', MetricName: 'WaitingForRoomSeconds', MetricValue: '$.waitedSeconds' }],
  });
});

describe('topics', () => {
  test('need TLS, and let SES publish for this account only', () => {
    const policies = ofType('AWS::SNS::TopicPolicy').map(({ Properties }) => JSON.stringify(Properties));
    expect(policies).toHaveLength(ofType('AWS::SNS::Topic').length);
    for (const policy of policies) {
      expect(policy).toContain('"aws:SecureTransport":"false"');
      expect(policy.toLowerCase()).toContain('"aws:sourceaccount":{"ref":"aws::accountid"}');
    }
  });

  test('are encrypted by a key of the deployment with the setting encryptTopics, which SES, CloudWatch and the watch may use', () => {
    expect(ofType('AWS::KMS::Key')).toEqual([]);
    const encrypted = synthesize({ domain: 'example.com', encryptTopics: 'true' });
    const keys = encrypted.ofType('AWS::KMS::Key');
    expect(keys).toHaveLength(1);
    expect(keys[0]!.Properties['EnableKeyRotation']).toBe(true);
    for (const { Properties } of encrypted.ofType('AWS::SNS::Topic')) expect(readable(Properties['KmsMasterKeyId'])).toBe('<TopicKey.Arn>');
    const policy = JSON.stringify(keys[0]!.Properties['KeyPolicy']);
    for (const service of ['ses.amazonaws.com', 'cloudwatch.amazonaws.com']) expect(policy).toContain(service);
    const users = encrypted.ofType('AWS::IAM::Policy').filter(({ Properties }) => JSON.stringify(Properties).includes('kms:'));
    expect(users.map(({ id }) => id.replace(/Lambda.*$/, ''))).toEqual(['Watch']);
  });

  test('send notifications that cannot be delivered to a queue to its dead-letter queue', () => {
    const subscriptions = ofType('AWS::SNS::Subscription').filter(({ Properties }) => Properties['Protocol'] === 'sqs');
    expect(subscriptions).toHaveLength(2);
    for (const { Properties } of subscriptions) {
      expect(deadLetters.map(({ id }) => id)).toContain(deadLettersOf(Properties));
      expect(Properties['RawMessageDelivery']).toBe(false);
    }
  });
});

describe('received mail', () => {
  test('has no receipt rule in the template: a Lambda creates them, after the policies for SES', () => {
    expect(ofType('AWS::SES::ReceiptRule')).toEqual([]);
    const [rules] = ofType('Custom::ReceiptRules');
    expect(readable(rules!.Properties['ruleSetName'])).toBe('<InboundMailActiveRuleSet.ruleSetName>');
    // The bucket's policy is in the stack that is deployed before.
    expect(rules!.DependsOn).toEqual([expect.stringMatching(/^InboundMailTopicPolicy/)]);
  });

  test('is refused by receipt rules that follow each change of an address or a domain, and are compared each day', () => {
    const { id } = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-receipt-rules')!;
    const mappings = ofType('AWS::Lambda::EventSourceMapping').filter(({ Properties }) => refOf(Properties['FunctionName']) === id);
    expect(mappings.map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({
        EventSourceArn: { 'Fn::GetAtt': [expect.stringMatching(/^StorageDirectory/), 'StreamArn'] },
        FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"Keys":{"pk":{"S":["address","domain-name","admins"]}}}}' }] },
      }),
    ]);
    const [daily] = ofType('AWS::Events::Rule').filter((rule) => rule.id.startsWith('InboundMailReceiptRules'));
    expect(daily!.Properties).toMatchObject({ ScheduleExpression: 'rate(1 day)', State: 'ENABLED' });
  });

  test('is delivered at once in batches of up to ten, and the visibility timeout is six times the Lambda’s timeout', () => {
    const { mapping, queue, lambda } = consumer('deliver');
    expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    expect(mapping).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'], ScalingConfig: { MaximumConcurrency: 50 } });
    expect(queue['VisibilityTimeout']).toBe(6 * Number(lambda['Timeout']));
  });

  test('has no rule set in the template, because several deployments share the active one', () => {
    expect(ofType('AWS::SES::ReceiptRuleSet')).toEqual([]);
    expect(ofType('Custom::ActiveReceiptRuleSet')).toHaveLength(1);
    const policy = JSON.stringify(ofType('AWS::SNS::TopicPolicy'));
    expect(policy).toContain(':receipt-rule-set/*:receipt-rule/Postrider-deliver-*');
  });
});

describe('sent mail', () => {
  const title = 'invokes %s without delay with %i messages at most, %i at once, and has a visibility timeout of six timeouts';
  test.each([
    ['submit', 1, 2],
    ['mail-events', 10, 5],
  ])(title, (name, batchSize, concurrency) => {
    const { mapping, queue, lambda } = consumer(name);
    expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    expect(mapping).toMatchObject({
      BatchSize: batchSize,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: concurrency },
    });
    expect(queue['VisibilityTimeout']).toBe(6 * Number(lambda['Timeout']));
  });

  test('has one sweep of the outbox each minute', () => {
    const [rule] = ofType('AWS::Events::Rule').filter(({ id }) => id.startsWith('OutboundMail'));
    expect(rule!.Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED', Targets: [{ RetryPolicy: { MaximumRetryAttempts: 0 } }] });
    expect(readable((rule!.Properties['Targets'] as { Arn: unknown }[])[0]!.Arn)).toBe('<OutboundMailSweep.Arn>');
  });

  test('does not use the suppression list of SES', () => {
    expect(ofType('AWS::SES::ConfigurationSet').map(({ Properties }) => Properties['SuppressionOptions'])).toEqual([{ SuppressedReasons: [] }]);
  });

  test('sends its SES events to the topic', () => {
    expect(ofType('AWS::SES::ConfigurationSetEventDestination').map(({ Properties }) => Properties['EventDestination'])).toEqual([
      {
        Enabled: true,
        MatchingEventTypes: ['send', 'reject', 'bounce', 'complaint', 'delivery', 'deliveryDelay', 'renderingFailure'],
        SnsDestination: { TopicARN: expect.anything() },
      },
    ]);
  });
});

describe('the alarm', () => {
  test('is on the watch only: it starts when three runs fail or are missing', () => {
    const watch = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-watch')!;
    expect(alarms.map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({
        Namespace: 'AWS/Lambda',
        MetricName: 'Errors',
        Dimensions: [{ Name: 'FunctionName', Value: { Ref: watch.id } }],
        Statistic: 'Sum',
        Period: 300,
        EvaluationPeriods: 3,
        Threshold: 1,
        TreatMissingData: 'breaching',
      }),
    ]);
    const schedules = ofType('AWS::Events::Rule').filter(({ id }) => id.startsWith('Watch'));
    expect(schedules.map(({ Properties }) => Properties['ScheduleExpression'])).toEqual(['rate(5 minutes)']);
  });

  test('is published to the topic of the problems, to which alarmEmail is subscribed', () => {
    const [subscription] = ofType('AWS::SNS::Subscription').filter(({ Properties }) => Properties['Protocol'] === 'email');
    expect(subscription!.Properties['Endpoint']).toBe('ops@example.com');
    for (const { Properties } of alarms) {
      expect(Properties['AlarmActions']).toEqual([subscription!.Properties['TopicArn']]);
      expect(Properties['OKActions']).toEqual([subscription!.Properties['TopicArn']]);
    }
  });

  test('has a topic without a subscription without alarmEmail, of which synth warns', () => {
    const { ofType } = synthesize({ domain: 'example.com' });
    expect(ofType('AWS::CloudWatch::Alarm')[0]!.Properties['AlarmActions']).toHaveLength(1);
    expect(ofType('AWS::SNS::Subscription').filter(({ Properties }) => Properties['Protocol'] === 'email')).toEqual([]);
    const warningsOf = (context: object) =>
      Object.values(stacksFor({ domain: 'example.com', ...context })).flatMap((stack) =>
        Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('Nobody is notified of problems')),
      );
    expect(warningsOf({})).toHaveLength(1);
    expect(warningsOf({ alarmEmail: 'ops@example.com' })).toEqual([]);
  });
});

describe('the first admin', () => {
  test('depends only on the address, so that another deployment changes nothing', () => {
    const [admin] = ofType('Custom::FirstAdmin');
    expect(Object.keys(admin!.Properties).sort()).toEqual(['ServiceTimeout', 'ServiceToken', 'email']);
    expect(admin!.Properties['email']).toBe('ada@example.com');
  });

  test('is invited when everything else of the deployment exists, so that nobody is when it fails', () => {
    const { Resources } = templates.admin;
    const [id, admin] = Object.entries(Resources).find(([, { Type }]) => Type === 'Custom::FirstAdmin')!;
    expect([...(admin.DependsOn ?? [])].sort()).toEqual(
      Object.keys(Resources)
        .filter((other) => other !== id)
        .sort(),
    );
  });

  test('is not created without adminEmail', () => {
    expect(synthesize({ domain: 'example.com' }).ofType('Custom::FirstAdmin')).toEqual([]);
  });
});
