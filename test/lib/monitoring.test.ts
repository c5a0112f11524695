import type { MonitoredResources } from '../../contract/monitored-resources.ts';
import { everything, synthesize } from './stack-under-test.ts';

const { ofType } = synthesize({ ...everything, removalPolicy: 'destroy' });
const monitoring = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-monitoring')!;
const { MONITORED_RESOURCES: told } = (monitoring.Properties['Environment'] as { Variables: Record<string, unknown> }).Variables;

/** The value with each reference put in as `<id>`, as CloudFormation would put in a name. */
const filledIn = (value: unknown): string => (typeof value === 'string' ? value
  : (value as { 'Fn::Join': [string, unknown[]] })['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : `<${Object.values(part as object).flat().join('.')}>`)).join(''));
const resources = JSON.parse(filledIn(told)) as MonitoredResources;

describe('what the monitoring Lambda is told of the deployment', () => {
  test('every Lambda of the stack by its name without the stack’s', () => {
    expect(resources.stack).toBe('Postrider');
    expect(resources.functions.map((name) => `Postrider-${name}`).sort()).toEqual(ofType('AWS::Lambda::Function').map(({ Properties }) => String(Properties['FunctionName'])).sort());
  });

  test('every queue, and every API with its stage', () => {
    expect(Object.values(resources.queues).sort()).toEqual(ofType('AWS::SQS::Queue').map(({ id }) => `<${id}.QueueName>`).sort());
    expect(Object.keys(resources.queues)).toEqual(expect.arrayContaining(['InboundMail/Waiting', 'InboundMail/Waiting/DeadLetters']));
    expect(resources.apis.map(({ id }) => id).sort()).toEqual(ofType('AWS::ApiGatewayV2::Api').map(({ id }) => `<${id}>`).sort());
    expect(resources.apis.map(({ name, stage, kind }) => [name, stage, kind])).toEqual(expect.arrayContaining([['admin', '$default', 'http'], ['jmap', '$default', 'http'], ['web-socket', 'jmap', 'web-socket']]));
  });

  test('fits into an environment of 4 KB, also under a long stack name', () => {
    const long = JSON.stringify(resources).replaceAll(/<[^>]+>/g, 'x'.repeat(80)).replaceAll('Postrider', 'x'.repeat(40));
    expect(long.length).toBeLessThan(3_500);
  });

  test('its logs are the stack’s log groups, all of them', () => {
    const names = [...resources.functions.map((name) => `/aws/lambda/Postrider-${name}`), ...resources.apis.filter(({ kind }) => kind === 'http').map(({ name }) => `/aws/vendedlogs/apis/Postrider-${name}`)];
    expect(names.sort()).toEqual(ofType('AWS::Logs::LogGroup').map(({ Properties }) => String(Properties['LogGroupName'])).sort());
  });
});
