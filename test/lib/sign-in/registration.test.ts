import { everything, readable, synthesize } from '../stack-under-test.ts';

const { ofType } = synthesize(everything);

describe('the app clients of the user pool', () => {
  test('are counted by the log of the daily sweep', () => {
    const filters = ofType('AWS::Logs::MetricFilter').filter(({ Properties }) => JSON.stringify(Properties).includes('"AppClients"'));
    expect(filters.map(({ Properties }) => [readable(Properties['LogGroupName']), Properties])).toEqual([[
      expect.stringContaining('RegistrationSweep'),
      expect.objectContaining({
        FilterPattern: '{ $.message = "client registrations swept" }',
        MetricTransformations: [{ MetricNamespace: 'Postrider/Postrider', MetricName: 'AppClients', MetricValue: '$.app_clients' }],
      }),
    ]]);
  });

  test('have an alarm at 80 % of the 1,000 that Cognito allows, which keeps its state between two sweeps', () => {
    const alarms = ofType('AWS::CloudWatch::Alarm').filter(({ Properties }) => Properties['MetricName'] === 'AppClients');
    expect(alarms.map(({ Properties }) => Properties)).toEqual([expect.objectContaining({
      Namespace: 'Postrider/Postrider', Statistic: 'Maximum', Period: 86_400, EvaluationPeriods: 1, Threshold: 800,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold', TreatMissingData: 'ignore',
    })]);
  });

  test('are neither counted nor watched while registration is off', () => {
    const off = synthesize({ ...everything, dynamicRegistration: 'false' });
    expect(off.ofType('AWS::CloudWatch::Alarm').filter(({ Properties }) => Properties['MetricName'] === 'AppClients')).toEqual([]);
  });
});
