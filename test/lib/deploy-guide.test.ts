import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backgroundConcurrency, shardsOfNewTable } from '../../lib/lambda/background-concurrency.ts';
import { contextKeys } from '../../lib/deployment-context.ts';
import { hostNames } from '../../lib/endpoints/domain-names.ts';
import { everything, synthesize } from './stack-under-test.ts';

const guide = readFileSync(join(__dirname, '..', '..', 'docs', 'deploy.md'), 'utf8');

const section = (heading: string): string => guide.split(`## ${heading}\n`)[1]!.split('\n## ')[0]!;

const inWords = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

/** Days after which objects with a prefix expire. */
const expiryOf = (prefix: string): number | undefined => synthesize(everything).ofType('AWS::S3::Bucket').flatMap(({ Properties }) =>
  (Properties['LifecycleConfiguration'] as { Rules: { Prefix?: string; ExpirationInDays?: number }[] } | undefined)?.Rules ?? [])
  .find((rule) => rule.Prefix === prefix)?.ExpirationInDays;

type Statement = { readonly Effect: string; readonly Action: string | string[]; readonly Resource: unknown };

/** The actions that a role or a policy allows on the resource `*`, in order and without duplicates. */
const actionsOnAnyResource = (): string[] => {
  const documents = synthesize(everything).resources.flatMap(({ Type, Properties }) => {
    if (Type === 'AWS::IAM::Policy' || Type === 'AWS::IAM::ManagedPolicy') return [Properties['PolicyDocument']];
    if (Type !== 'AWS::IAM::Role') return [];
    return ((Properties['Policies'] ?? []) as { PolicyDocument: unknown }[]).map(({ PolicyDocument }) => PolicyDocument);
  }) as { Statement: Statement[] }[];
  const statements = documents.flatMap(({ Statement }) => Statement)
    .filter(({ Effect, Resource }) => Effect === 'Allow' && [Resource].flat().includes('*'));
  return [...new Set(statements.flatMap(({ Action }) => Action))].toSorted();
};

/** The cells of each row of the first table below a heading. */
const table = (heading: string): string[][] => {
  return section(heading).split('\n').filter((line) => line.startsWith('|')).slice(2).map(
    (line) => line.slice(1, -1).split(/ \| /).map((cell) => cell.trim()),
  );
};

describe('docs/deploy.md', () => {
  test('lists every setting with the texts of the code', () => {
    expect(table('Settings')).toEqual(
      Object.entries(contextKeys).map(([name, { type, withoutIt, example }]) => [name, type, withoutIt, `\`${example}\``]),
    );
  });

  test('counts the resources of each stack, with the settings of cdk.json and with every setting', () => {
    const { context } = JSON.parse(readFileSync(join(__dirname, '..', '..', 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
    const [few, all] = [{ ...context, domain: 'example.com' }, everything].map((settings) =>
      Object.values(synthesize(settings).templates).map(({ Resources }) => String(Object.keys(Resources).length)));
    expect(table('Stacks').map(([, , least, most]) => [least, most])).toEqual(few!.map((count, index) => [count, all![index]]));
  });

  test('states the Lambdas that may run at once, for several limits of an account', () => {
    const columns = [10, 24, 100, 1_000].map((limit) => {
      const { queues, batchesOfShard } = backgroundConcurrency(limit);
      const running = Object.values(queues).reduce<number>((sum, each) => sum + (each === 'scheduled' ? 0 : each), 0);
      return {
        ...queues,
        'notify, mail table': `${shardsOfNewTable} × ${batchesOfShard}`,
        'notify, directory table': 1,
        together: running + shardsOfNewTable * batchesOfShard + 1,
      };
    });
    const rows = Object.keys(columns[0]!).map((name) => [name, ...columns.map((column) => String(column[name as keyof typeof column]))]);
    expect(table('Lambda\'s concurrency')).toEqual(rows);
  });

  test('names every host of the custom domains, and counts those of the certificate', () => {
    const text = section('Custom domains').replaceAll(/\s+/g, ' ');
    const hosts = Object.values(hostNames({ domain: '<domain>', prefix: undefined }));
    expect(new Set([...text.matchAll(/`(\w+\.<domain>)`/g)].map(([, host]) => host))).toEqual(new Set(hosts));
    expect(text).toContain(`The ${inWords[hosts.length]} names have one certificate`);
  });

  test('names every API, and counts those that are throttled', () => {
    const text = section('What the stacks contain').replaceAll(/\s+/g, ' ');
    const stages = synthesize(everything).ofType('AWS::ApiGatewayV2::Stage').filter(({ Properties }) => Properties['DefaultRouteSettings']);
    const apis = synthesize(everything).ofType('AWS::ApiGatewayV2::Api').map(({ Properties }) => Properties['ProtocolType']);
    expect(text.match(/\(HTTP API\)/g)).toHaveLength(apis.filter((protocol) => protocol === 'HTTP').length);
    expect(text.match(/\*\*WebSocket API\*\*/g)).toHaveLength(apis.filter((protocol) => protocol === 'WEBSOCKET').length);
    const restStages = synthesize(everything).ofType('AWS::ApiGateway::Stage').filter(({ Properties }) => Properties['MethodSettings']);
    expect(text.match(/\(REST API\)/g)).toHaveLength(restStages.length);
    expect(text).toContain(`All ${inWords[stages.length + restStages.length]} are throttled`);
  });

  test('names the days after which objects of the bucket expire', () => {
    const text = section('What the stacks contain').replaceAll(/\s+/g, ' ');
    const stated = /other mail there expires after (\d+) days, unused uploads after (\d+), prepared downloads after (\d+), and mail to be sent after (\d+)/
      .exec(text)!.slice(1).map(Number);
    expect(stated).toEqual(['inbound', 'uploads', 'downloads', 'outgoing'].map((folder) => expiryOf(`${folder}/`)));
  });

  test('names the kinds of events that SES publishes', () => {
    const [, stated] = /sends its events \(([^)]+)\) to a topic/.exec(section('What the stacks contain'))!;
    const [destination] = synthesize(everything).ofType('AWS::SES::ConfigurationSetEventDestination');
    const { MatchingEventTypes: types } = destination!.Properties['EventDestination'] as { MatchingEventTypes: string[] };
    const words = (text: string): string => text.replaceAll(/\s/g, '').toLowerCase().replace('deliverydelay', 'delay');
    expect(stated!.split(/,\s+/).map(words).sort()).toEqual(types.map(words).sort());
  });

  test('lists every action that is allowed on any resource, with the page of AWS', () => {
    const rows = table('Rights on any resource');
    expect(rows.map(([action]) => action)).toEqual(actionsOnAnyResource().map((action) => `\`${action}\``));
    for (const [, , page] of rows) {
      expect(page).toMatch(/^\[[\w ]+\]\(https:\/\/docs\.aws\.amazon\.com\/service-authorization\/latest\/reference\/list_\w+\.html\)$/);
    }
  });

  test('lists every output', () => {
    const outputs = Object.keys(synthesize(everything).json.Outputs).map(
      (name) => name.replace(/^(?:Jmap|Admin)Headless(Client(?:Id|Secret))$/, '`<Name>$1`'),
    );
    expect(table('Outputs').map(([name]) => name)).toEqual([...new Set(outputs)]);
  });
});
