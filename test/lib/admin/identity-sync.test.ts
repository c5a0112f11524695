import { synthesize } from '../stack-under-test.ts';

const { ofType } = synthesize({ domain: 'example.com' });

describe('the Lambda that brings Identities in step', () => {
  test('runs every five minutes, one run after the other', () => {
    const rules = ofType('AWS::Events::Rule').filter(({ Properties }) => JSON.stringify(Properties['Targets']).includes('IdentitySync'));
    expect(rules.map(({ Properties }) => Properties['ScheduleExpression'])).toEqual(['rate(5 minutes)']);
    const [lambda] = ofType('AWS::Lambda::Function').filter(({ Properties }) => Properties['FunctionName'] === 'Postrider-identity-sync');
    expect(lambda!.Properties['Timeout']).toBe(300);
  });
});
