import { everything, synthesize } from '../stack-under-test.ts';

const { ofType, json } = synthesize({ ...everything, lambdaConcurrency: 1_000 });

describe('the queue of what commits leave behind', () => {
  const [queue] = ofType('AWS::SQS::Queue').filter(({ id }) => id.startsWith('MailCleanupWaitingQueue'));
  const [worker] = ofType('AWS::Lambda::Function').filter(({ Properties }) => Properties['FunctionName'] === 'Postrider-mail-cleanup');

  test('invokes at most five workers with one message each, and its visibility timeout is six times their timeout', () => {
    const source = ofType('AWS::Lambda::EventSourceMapping').find(({ Properties }) => JSON.stringify(Properties['EventSourceArn']).includes(queue!.id));
    expect(source?.Properties).toMatchObject({
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 5 },
      FunctionName: { Ref: worker!.id },
    });
    expect(queue!.Properties['VisibilityTimeout']).toBe(6 * Number(worker!.Properties['Timeout']));
  });

  test('has a dead-letter queue of its own', () => {
    const { deadLetterTargetArn, maxReceiveCount } = queue!.Properties['RedrivePolicy'] as {
      deadLetterTargetArn: { 'Fn::GetAtt': [string] };
      maxReceiveCount: number;
    };
    const [deadLettersId] = deadLetterTargetArn['Fn::GetAtt'];
    expect(deadLettersId).toMatch(/^MailCleanupWaitingDeadLetters/);
    expect(maxReceiveCount).toBe(5);
    expect(json.Resources[deadLettersId]!.Properties).toMatchObject({ MessageRetentionPeriod: 14 * 86_400, SqsManagedSseEnabled: true });
  });
});
