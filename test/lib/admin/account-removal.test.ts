import { everything, synthesize } from '../stack-under-test.ts';

const { ofType, json } = synthesize({ ...everything, lambdaConcurrency: 1_000 });

describe('the queue of deleted accounts', () => {
  const [queue] = ofType('AWS::SQS::Queue').filter(({ id }) => id.startsWith('AccountRemovalWaitingQueue'));
  const [worker] = ofType('AWS::Lambda::Function').filter(({ Properties }) => Properties['FunctionName'] === 'Postrider-account-removal');

  test('invokes at most five workers with one account each', () => {
    const source = ofType('AWS::Lambda::EventSourceMapping').find(({ Properties }) => JSON.stringify(Properties['EventSourceArn']).includes(queue!.id));
    expect(source?.Properties).toMatchObject({
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 5 },
      FunctionName: { Ref: worker!.id },
    });
  });

  test('passes the account of a worker that was killed to another one within five minutes, also by scheduled runs', () => {
    const visibility = Number(queue!.Properties['VisibilityTimeout']);
    // AWS Lambda creates no mapping for a shorter one.
    expect(visibility).toBeGreaterThanOrEqual(Number(worker!.Properties['Timeout']));
    const scheduled = synthesize({ ...everything, lambdaConcurrency: 10 });
    const { id } = scheduled.ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-account-removal')!;
    const runs = scheduled
      .ofType('AWS::Events::Rule')
      .filter(({ Properties }) => JSON.stringify(Properties['Targets']).includes(id))
      .flatMap(({ Properties }) => /^rate\((\d+) minutes?\)$/.exec(String(Properties['ScheduleExpression']))?.[1] ?? []);
    expect(runs).toHaveLength(1);
    expect(visibility + 60 * Number(runs[0])).toBeLessThanOrEqual(5 * 60);
  });

  test('has a dead-letter queue', () => {
    const { deadLetterTargetArn, maxReceiveCount } = queue!.Properties['RedrivePolicy'] as {
      deadLetterTargetArn: { 'Fn::GetAtt': [string] };
      maxReceiveCount: number;
    };
    const [deadLettersId] = deadLetterTargetArn['Fn::GetAtt'];
    expect(maxReceiveCount).toBe(5);
    expect(json.Resources[deadLettersId]!.Properties).toMatchObject({ MessageRetentionPeriod: 14 * 86_400, SqsManagedSseEnabled: true });
  });
});
