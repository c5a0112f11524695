import { plainId, synthesize } from '../stack-under-test.ts';

const { ofType } = synthesize({ domain: 'example.com' });

describe('the worker of change requests', () => {
  test('is invoked every five minutes, by one rule only', () => {
    const rule = ofType('AWS::Events::Rule').find(({ Properties }) => JSON.stringify(Properties['Targets']).includes('ChangeRequestWorker'))!;
    expect(rule.Properties).toMatchObject({ ScheduleExpression: 'rate(5 minutes)', State: 'ENABLED' });
    const permissions = ofType('AWS::Lambda::Permission').filter(({ Properties }) =>
      JSON.stringify(Properties['FunctionName']).includes('ChangeRequestWorker'),
    );
    expect(permissions).toHaveLength(1);
    expect(permissions[0]!.Properties).toMatchObject({ Principal: 'events.amazonaws.com', SourceArn: { 'Fn::GetAtt': [rule.id, 'Arn'] } });
    expect(plainId(rule.id)).toBe('ChangeRequestWorkerEveryFiveMinutes');
  });

  test('times out before its claim on a change request expires', () => {
    const [worker] = ofType('AWS::Lambda::Function').filter(({ Properties }) => Properties['FunctionName'] === 'Postrider-change-request-worker');
    expect(worker!.Properties['Timeout']).toBe(300);
  });
});
