import { everything, readable, synthesize } from './stack-under-test.ts';

const { ofType, json } = synthesize(everything);
const queues = ofType('AWS::SQS::Queue');
const workQueues = queues.filter(({ Properties }) => Properties['RedrivePolicy']);
const deadLetters = queues.filter(({ Properties }) => !Properties['RedrivePolicy']);
const deadLettersOf = (properties: Record<string, unknown>) => (properties['RedrivePolicy'] as { deadLetterTargetArn: { 'Fn::GetAtt': [string] } }).deadLetterTargetArn['Fn::GetAtt'][0];
const alarms = ofType('AWS::CloudWatch::Alarm');

/** The Lambda of that name with the queue that it takes from. */
const consumer = (name: string) => {
  const lambda = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === `Postrider-${name}`)!;
  const mapping = ofType('AWS::Lambda::EventSourceMapping').find(({ Properties }) => (Properties['FunctionName'] as { Ref: string }).Ref === lambda.id)!;
  const queue = json.Resources[(mapping.Properties['EventSourceArn'] as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0]]!;
  return { lambda: lambda.Properties, mapping: mapping.Properties, queue: queue.Properties };
};

describe('queues', () => {
  test('each has dead letters of its own, after five attempts, and so have the streams', () => {
    expect(workQueues.length).toBeGreaterThan(2);
    const ofStreams = ofType('AWS::Lambda::EventSourceMapping').flatMap(({ Properties }) => (Properties['DestinationConfig'] as { OnFailure: { Destination: { 'Fn::GetAtt': [string] } } } | undefined)?.OnFailure.Destination['Fn::GetAtt'][0] ?? []);
    expect([...workQueues.map(({ Properties }) => deadLettersOf(Properties)), ...new Set(ofStreams)].sort()).toEqual(deadLetters.map(({ id }) => id).sort());
    for (const { Properties } of workQueues) expect(Properties['RedrivePolicy']).toMatchObject({ maxReceiveCount: 5 });
  });

  test('an alarm watches all dead letters', () => {
    const watched = alarms.filter(({ Properties }) => Properties['MetricName'] === 'ApproximateNumberOfMessagesVisible')
      .map(({ Properties }) => (Properties['Dimensions'] as { Value: { 'Fn::GetAtt': [string] } }[])[0]!.Value['Fn::GetAtt'][0]);
    expect(watched.sort()).toEqual(deadLetters.map(({ id }) => id).sort());
  });

  test('all are encrypted, keep messages for 14 days and are reached by TLS only', () => {
    const policies = ofType('AWS::SQS::QueuePolicy').filter(({ Properties }) => JSON.stringify(Properties).includes('"aws:SecureTransport":"false"')).map(({ Properties }) => (Properties['Queues'] as { Ref: string }[])[0]!.Ref);
    expect(policies.sort()).toEqual(queues.map(({ id }) => id).sort());
    for (const { Properties } of queues) expect(Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 });
  });
});

describe('topics', () => {
  test('all are reached by TLS only, and SES publishes for this account only', () => {
    const policies = ofType('AWS::SNS::TopicPolicy').map(({ Properties }) => JSON.stringify(Properties));
    expect(policies).toHaveLength(ofType('AWS::SNS::Topic').length);
    for (const policy of policies) {
      expect(policy).toContain('"aws:SecureTransport":"false"');
      expect(policy.toLowerCase()).toContain('"aws:sourceaccount":{"ref":"aws::accountid"}');
    }
  });

  test('what can’t be handed to a queue is kept with its dead letters', () => {
    const subscriptions = ofType('AWS::SNS::Subscription').filter(({ Properties }) => Properties['Protocol'] === 'sqs');
    expect(subscriptions).toHaveLength(2);
    for (const { Properties } of subscriptions) {
      expect(deadLetters.map(({ id }) => id)).toContain(deadLettersOf(Properties));
      expect(Properties['RawMessageDelivery']).toBe(false);
    }
  });
});

describe('mail that arrives', () => {
  test('is scanned, put under inbound/ and told to the topic, with TLS where the sender can', () => {
    expect(ofType('AWS::SES::ReceiptRule').map(({ Properties }) => Properties['Rule'])).toEqual([{
      Name: 'deliver', Enabled: true, ScanEnabled: true, TlsPolicy: 'Optional',
      Actions: [{ S3Action: { BucketName: expect.anything(), ObjectKeyPrefix: 'inbound/', TopicArn: expect.anything() } }],
    }]);
  });

  test('the rule waits for the policies that let SES in', () => {
    const { DependsOn } = ofType('AWS::SES::ReceiptRule')[0]!;
    expect(DependsOn).toEqual(expect.arrayContaining([ofType('AWS::S3::BucketPolicy')[0]!.id, expect.stringMatching(/^InboundMailTopicPolicy/)]));
  });

  test('the deliver Lambda takes ten notifications at once, answers for each, and has a sixth of the time after which they show up again', () => {
    const { mapping, queue, lambda } = consumer('deliver');
    expect(mapping).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'], ScalingConfig: { MaximumConcurrency: 10 } });
    expect(queue['VisibilityTimeout']).toBe(6 * Number(lambda['Timeout']));
  });

  test('our rule set is made the active one after its rule is there', () => {
    const [active] = ofType('Custom::ActiveReceiptRuleSet');
    expect(readable(active!.Properties['ruleSetName'])).toBe('<InboundMailRuleSet>');
    expect(active!.DependsOn).toContain(ofType('AWS::SES::ReceiptRule')[0]!.id);
  });
});

describe('mail that is sent', () => {
  test.each([['submit', 2], ['mail-events', 5]])('the %s Lambda takes ten at once, %i times side by side at most, answers for each, and has a sixth of the time after which they show up again', (name, concurrency) => {
    const { mapping, queue, lambda } = consumer(name);
    expect(mapping).toMatchObject({ BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'], ScalingConfig: { MaximumConcurrency: concurrency } });
    expect(queue['VisibilityTimeout']).toBe(6 * Number(lambda['Timeout']));
  });

  test('the outbox is swept each minute, once', () => {
    const [rule] = ofType('AWS::Events::Rule').filter(({ id }) => id.startsWith('OutboundMail'));
    expect(rule!.Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED', Targets: [{ RetryPolicy: { MaximumRetryAttempts: 0 } }] });
    expect(readable((rule!.Properties['Targets'] as { Arn: unknown }[])[0]!.Arn)).toBe('<OutboundMailSweep.Arn>');
  });

  test('who is suppressed is for us to say, not for SES', () => {
    expect(ofType('AWS::SES::ConfigurationSet').map(({ Properties }) => Properties['SuppressionOptions'])).toEqual([{ SuppressedReasons: [] }]);
  });

  test('what SES reports goes to the topic', () => {
    expect(ofType('AWS::SES::ConfigurationSetEventDestination').map(({ Properties }) => Properties['EventDestination'])).toEqual([{
      Enabled: true, MatchingEventTypes: ['send', 'reject', 'bounce', 'complaint', 'delivery', 'deliveryDelay', 'renderingFailure'], SnsDestination: { TopicARN: expect.anything() },
    }]);
  });
});

describe('alarms', () => {
  test('tell the address, when it begins and when it ends', () => {
    const [subscription] = ofType('AWS::SNS::Subscription').filter(({ Properties }) => Properties['Protocol'] === 'email');
    expect(subscription!.Properties['Endpoint']).toBe('ops@example.com');
    for (const { Properties } of alarms) {
      expect(Properties['AlarmActions']).toEqual([subscription!.Properties['TopicArn']]);
      expect(Properties['OKActions']).toEqual([subscription!.Properties['TopicArn']]);
      expect(Properties).toMatchObject({ TreatMissingData: 'notBreaching', Threshold: expect.any(Number), AlarmDescription: expect.anything() });
    }
  });

  test('without an address they tell nobody, and there is no topic for it', () => {
    const { ofType } = synthesize({ domain: 'example.com' });
    for (const { Properties } of ofType('AWS::CloudWatch::Alarm')) expect(Properties).not.toHaveProperty('AlarmActions');
    expect(ofType('AWS::SNS::Topic')).toHaveLength(2);
  });
});

describe('the first admin', () => {
  test('is made by its address alone, so that another deploy changes nothing', () => {
    const [admin] = ofType('Custom::FirstAdmin');
    expect(Object.keys(admin!.Properties).sort()).toEqual(['ServiceTimeout', 'ServiceToken', 'email']);
    expect(admin!.Properties['email']).toBe('ada@example.com');
  });

  test('is not made without adminEmail', () => {
    expect(synthesize({ domain: 'example.com' }).ofType('Custom::FirstAdmin')).toEqual([]);
  });
});
