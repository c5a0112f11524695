import { everything, readable, refOf, synthesize } from './stack-under-test.ts';

const { ofType, json } = synthesize({ ...everything, lambdaConcurrency: 1_000 });
const allQueues = ofType('AWS::SQS::Queue');
/** The queues that hold clients of the event source: a wake-up that is not taken within a minute is of no use. */
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
    const ofStreams = ofType('AWS::Lambda::EventSourceMapping').flatMap(({ Properties }) =>
      (Properties['DestinationConfig'] as OnFailure | undefined)?.OnFailure.Destination['Fn::GetAtt'][0] ?? []);
    expect([...workQueues.map(({ Properties }) => deadLettersOf(Properties)), ...new Set(ofStreams)].sort())
      .toEqual(deadLetters.map(({ id }) => id).sort());
    for (const { Properties } of workQueues) expect(Properties['RedrivePolicy']).toMatchObject({ maxReceiveCount: 5 });
  });

  test('pass each message to a Lambda call of its own, except arrived mail, SES events, and pushes, which only wait for push services and sockets', () => {
    const queueIds = workQueues.map(({ id }) => id);
    const sizes = ofType('AWS::Lambda::EventSourceMapping').flatMap(({ Properties }) => {
      const source = (Properties['EventSourceArn'] as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0];
      return queueIds.includes(source) ? [[readable(Properties['FunctionName']), Properties['BatchSize']]] : [];
    });
    expect(sizes).toHaveLength(workQueues.length);
    expect(sizes.filter(([, size]) => size !== 1)).toEqual([
      [expect.stringContaining('MailEvents'), 10], [expect.stringContaining('Deliver'), 10], [expect.stringContaining('PushDelivery'), 10],
    ]);
  });

  test('have an alarm on each dead-letter queue', () => {
    const watched = alarms.filter(({ Properties }) => Properties['MetricName'] === 'ApproximateNumberOfMessagesVisible')
      .map(({ Properties }) => (Properties['Dimensions'] as { Value: { 'Fn::GetAtt': [string] } }[])[0]!.Value['Fn::GetAtt'][0]);
    expect(watched.sort()).toEqual(deadLetters.map(({ id }) => id).sort());
  });

  test('are encrypted, keep messages for 14 days, wake-ups for a minute, and need TLS', () => {
    const policies = ofType('AWS::SQS::QueuePolicy').filter(
      ({ Properties }) => JSON.stringify(Properties).includes('"aws:SecureTransport":"false"'),
    ).map(
      ({ Properties }) => refOf((Properties['Queues'] as unknown[])[0]),
    );
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
      ['UndeliverableBounced', 'bounced'], ['UndeliverableNotBounced', 'not bounced'], ['UndeliverableWaiting', 'waiting for room'],
    ].map(([name, outcome]) => [
      expect.stringContaining('DeliverLog'),
      expect.objectContaining({
        FilterPattern: `{ $.message = "undeliverable: ${outcome}" }`,
        MetricTransformations: [{ MetricNamespace: 'Postrider/Postrider', MetricName: name, MetricValue: '$.recipients' }],
      }),
    ]),
  );
});

test('mail that waits for room in a full account starts an alarm within hours, by its true age', () => {
  const [filter] = ofType('AWS::Logs::MetricFilter').filter(({ id }) => id.startsWith('InboundMailWaitingForRoom'));
  expect(readable(filter!.Properties['LogGroupName'])).toContain('DeliverLog');
  expect(filter!.Properties).toMatchObject({
    FilterPattern: '{ $.message = "undeliverable: waiting for room" }',
    MetricTransformations: [{ MetricNamespace: 'Postrider/Postrider', MetricName: 'WaitingForRoomSeconds', MetricValue: '$.waitedSeconds' }],
  });
  const [alarm] = alarms.filter(({ Properties }) => Properties['MetricName'] === 'WaitingForRoomSeconds');
  // Each message is tried every quarter of an hour, so that a period of half an hour always has a value.
  expect(alarm!.Properties).toMatchObject({
    Namespace: 'Postrider/Postrider', Statistic: 'Maximum', Period: 1800, EvaluationPeriods: 1, Threshold: 7200,
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
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

  test('send notifications that cannot be delivered to a queue to its dead-letter queue', () => {
    const subscriptions = ofType('AWS::SNS::Subscription').filter(({ Properties }) => Properties['Protocol'] === 'sqs');
    expect(subscriptions).toHaveLength(2);
    for (const { Properties } of subscriptions) {
      expect(deadLetters.map(({ id }) => id)).toContain(deadLettersOf(Properties));
      expect(Properties['RawMessageDelivery']).toBe(false);
    }
  });
});

describe('arrived mail', () => {
  test('has no receipt rule in the template: a Lambda creates them, after the policies for SES', () => {
    expect(ofType('AWS::SES::ReceiptRule')).toEqual([]);
    const [rules] = ofType('Custom::ReceiptRules');
    expect(readable(rules!.Properties['ruleSetName'])).toBe('<InboundMailRuleSet>');
    expect(rules!.DependsOn).toEqual(
      expect.arrayContaining([ofType('AWS::S3::BucketPolicy')[0]!.id, expect.stringMatching(/^InboundMailTopicPolicy/)]),
    );
  });

  test('is refused by receipt rules that follow each change of an address or a domain, and are compared each day', () => {
    const { id } = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-receipt-rules')!;
    const mappings = ofType('AWS::Lambda::EventSourceMapping').filter(({ Properties }) => refOf(Properties['FunctionName']) === id);
    expect(mappings.map(({ Properties }) => Properties)).toEqual([expect.objectContaining({
      EventSourceArn: { 'Fn::GetAtt': [expect.stringMatching(/^StorageDirectory/), 'StreamArn'] },
      FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"Keys":{"pk":{"S":["address","domain-name"]}}}}' }] },
    })]);
    const [daily] = ofType('AWS::Events::Rule').filter((rule) => rule.id.startsWith('InboundMailReceiptRules'));
    expect(daily!.Properties).toMatchObject({ ScheduleExpression: 'rate(1 day)', State: 'ENABLED' });
  });

  test('is delivered at once in batches of up to ten, and the visibility timeout is six times the Lambda’s timeout', () => {
    const { mapping, queue, lambda } = consumer('deliver');
    expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    expect(mapping).toMatchObject({
      BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'], ScalingConfig: { MaximumConcurrency: 50 },
    });
    expect(queue['VisibilityTimeout']).toBe(6 * Number(lambda['Timeout']));
  });

  test('activates our rule set after the creation of its rules', () => {
    const [active] = ofType('Custom::ActiveReceiptRuleSet');
    expect(readable(active!.Properties['ruleSetName'])).toBe('<InboundMailRuleSet>');
    expect(active!.DependsOn).toContain(ofType('Custom::ReceiptRules')[0]!.id);
  });
});

describe('sent mail', () => {
  const title = 'invokes %s without delay with %i messages at most, %i at once, and has a visibility timeout of six timeouts';
  test.each([['submit', 1, 2], ['mail-events', 10, 5]])(title, (name, batchSize, concurrency) => {
    const { mapping, queue, lambda } = consumer(name);
    expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    expect(mapping).toMatchObject({
      BatchSize: batchSize, FunctionResponseTypes: ['ReportBatchItemFailures'], ScalingConfig: { MaximumConcurrency: concurrency },
    });
    expect(queue['VisibilityTimeout']).toBe(6 * Number(lambda['Timeout']));
  });

  test('has one sweep of the outbox each minute', () => {
    const [rule] = ofType('AWS::Events::Rule').filter(({ id }) => id.startsWith('OutboundMail'));
    expect(rule!.Properties).toMatchObject({
      ScheduleExpression: 'rate(1 minute)', State: 'ENABLED', Targets: [{ RetryPolicy: { MaximumRetryAttempts: 0 } }],
    });
    expect(readable((rule!.Properties['Targets'] as { Arn: unknown }[])[0]!.Arn)).toBe('<OutboundMailSweep.Arn>');
  });

  test('does not use the suppression list of SES', () => {
    expect(ofType('AWS::SES::ConfigurationSet').map(({ Properties }) => Properties['SuppressionOptions']))
      .toEqual([{ SuppressedReasons: [] }]);
  });

  test('sends its SES events to the topic', () => {
    expect(ofType('AWS::SES::ConfigurationSetEventDestination').map(({ Properties }) => Properties['EventDestination'])).toEqual([{
      Enabled: true, MatchingEventTypes: ['send', 'reject', 'bounce', 'complaint', 'delivery', 'deliveryDelay', 'renderingFailure'],
      SnsDestination: { TopicARN: expect.anything() },
    }]);
  });
});

describe('alarms', () => {
  test('send a mail to alarmEmail at their start and at their end', () => {
    const [subscription] = ofType('AWS::SNS::Subscription').filter(({ Properties }) => Properties['Protocol'] === 'email');
    expect(subscription!.Properties['Endpoint']).toBe('ops@example.com');
    for (const { Properties } of alarms) {
      expect(Properties['AlarmActions']).toEqual([subscription!.Properties['TopicArn']]);
      expect(Properties['OKActions']).toEqual([subscription!.Properties['TopicArn']]);
      expect(Properties).toMatchObject({
        Threshold: expect.any(Number), AlarmDescription: expect.anything(),
        // A metric with one value a day has none most of the time.
        TreatMissingData: Properties['Period'] === 86_400 ? 'ignore' : 'notBreaching',
      });
    }
  });

  test('read twelve metrics at most, of which CloudWatch does not bill ten', () => {
    const metrics = alarms.map(({ Properties }) =>
      ((Properties['Metrics'] as { MetricStat?: unknown }[] | undefined)?.filter(({ MetricStat: stat }) => stat).length ?? 1));
    expect(metrics.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(12);
  });

  test('have no actions and no topic without alarmEmail', () => {
    const { ofType } = synthesize({ domain: 'example.com' });
    for (const { Properties } of ofType('AWS::CloudWatch::Alarm')) expect(Properties).not.toHaveProperty('AlarmActions');
    expect(ofType('AWS::SNS::Topic')).toHaveLength(2);
  });
});

describe('the first admin', () => {
  test('depends only on the address, so that another deployment changes nothing', () => {
    const [admin] = ofType('Custom::FirstAdmin');
    expect(Object.keys(admin!.Properties).sort()).toEqual(['ServiceTimeout', 'ServiceToken', 'email']);
    expect(admin!.Properties['email']).toBe('ada@example.com');
  });

  test('is not created without adminEmail', () => {
    expect(synthesize({ domain: 'example.com' }).ofType('Custom::FirstAdmin')).toEqual([]);
  });
});
