import { deadLetterQueues } from '../../../contract/deployment/dead-letters.ts';
import { isDeadLetterQueue, parseMonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import { everything, synthesize, variablesOf } from '../stack-under-test.ts';

const { ofType } = synthesize({ ...everything, removalPolicy: 'destroy' });
const monitoring = ofType('AWS::Lambda::Function').find(({ Properties }) => Properties['FunctionName'] === 'Postrider-monitoring')!;
/** The value of an environment variable, in which each reference is replaced by `<id>`. */
const filledIn = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const [, parts] = (value as { 'Fn::Join': [string, unknown[]] })['Fn::Join'];
  return parts
    .map((part) =>
      typeof part === 'string'
        ? part
        : `<${Object.values(part as object)
            .flat()
            .join('.')}>`,
    )
    .join('');
};
const variable = filledIn(variablesOf(monitoring)['MONITORED_RESOURCES']);
const resources = parseMonitoredResources(variable);

describe('the list of resources for the monitoring Lambda', () => {
  test('has every Lambda, by its name without the stack’s name', () => {
    expect(resources.stack).toBe('Postrider');
    expect(resources.functions.map((name) => `Postrider-${name}`).sort()).toEqual(
      ofType('AWS::Lambda::Function')
        .map(({ Properties }) => String(Properties['FunctionName']))
        .sort(),
    );
  });

  test('has every queue with work, and every API with its stage', () => {
    const withWork = ofType('AWS::SQS::Queue').filter(({ id }) => !id.startsWith('JmapApiEventSourceWaits'));
    expect(Object.values(resources.queues).sort()).toEqual(withWork.map(({ id }) => `<${id}.QueueName>`).sort());
    expect(Object.keys(resources.queues)).toEqual(expect.arrayContaining(['InboundMail/Waiting', 'InboundMail/Waiting/DeadLetters']));
    const apis = [...ofType('AWS::ApiGatewayV2::Api'), ...ofType('AWS::ApiGateway::RestApi')];
    expect(resources.apis.map(({ id }) => id).sort()).toEqual(apis.map(({ id }) => `<${id}>`).sort());
    expect(resources.apis.map(({ name, stage, kind }) => [name, stage, kind])).toEqual(
      expect.arrayContaining([
        ['admin', '$default', 'http'],
        ['jmap', '$default', 'http'],
        ['blobs', expect.stringMatching(/DeploymentStage.*, .*Download/), 'rest'],
        ['web-socket', 'jmap', 'web-socket'],
      ]),
    );
  });

  test('names a queue for dead letters exactly if something else sends there what it could not process', () => {
    const targets = JSON.stringify([
      ofType('AWS::SQS::Queue').map(({ Properties }) => Properties['RedrivePolicy'] ?? null),
      ofType('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties['DestinationConfig'] ?? null),
    ]);
    const places = Object.entries(resources.queues).map(([place, name]) => ({
      place,
      isTarget: targets.includes(`"${name.slice(1, -'.QueueName>'.length)}"`),
    }));
    expect(
      places
        .filter(({ isTarget }) => isTarget)
        .map(({ place }) => place)
        .sort(),
    ).toEqual(
      places
        .map(({ place }) => place)
        .filter(isDeadLetterQueue)
        .sort(),
    );
  });

  test('has the dead letters of each queue, and the Lambda that could not process them', () => {
    const withDeadLetters = Object.keys(resources.queues)
      .filter(isDeadLetterQueue)
      .map((place) => place.replace(/\/DeadLetters$/, ''));
    expect(Object.keys(deadLetterQueues).sort()).toEqual(withDeadLetters.sort());
    expect(resources.functions).toEqual(expect.arrayContaining(Object.values(deadLetterQueues).map(({ lambda }) => lambda)));
  });

  test('fits into the 4 KB of environment variables, also with a long stack name', () => {
    const apis = resources.apis.map((api) => ({ ...api, id: 'x'.repeat(10) }));
    const long = JSON.stringify({ ...resources, apis })
      .replaceAll(/<[^>]+>/g, 'x'.repeat(80))
      .replaceAll('Postrider', 'x'.repeat(40));
    expect(long.length).toBeLessThan(3_500);
  });

  test('covers all log groups of the stack', () => {
    const names = [
      ...resources.functions.map((name) => `/aws/lambda/Postrider-${name}`),
      ...resources.apis.filter(({ kind }) => kind === 'http').map(({ name }) => `/aws/vendedlogs/apis/Postrider-${name}`),
    ];
    expect(names.sort()).toEqual(
      ofType('AWS::Logs::LogGroup')
        .map(({ Properties }) => String(Properties['LogGroupName']))
        .sort(),
    );
  });
});
