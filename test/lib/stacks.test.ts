import { restoredValueParameter } from '../../contract/deployment/stored-data.ts';
import { lambdaEntries } from '../../lib/lambda/lambda-entries.ts';
import { everySetting, everything, synthesize } from './stack-under-test.ts';
import { stacksFor } from './stacks-for.ts';

/** Maximum resources of a stack: fewer than CloudFormation's 500, so that a release can add resources. */
const maximumResources = 340;

const { templates, json, ofType } = synthesize(everything);
/** The stacks in the order in which they are deployed. */
const stacks = Object.entries(templates);

/** The names of the values that a template reads from Parameter Store. */
const valuesRead = ({ Parameters = {} }: (typeof templates)[keyof typeof templates]): string[] =>
  Object.values(Parameters)
    .map(({ Default }) => Default!)
    .filter((name) => name.startsWith('/postrider/'));

const valuesStored = ({ Resources }: (typeof templates)[keyof typeof templates]): string[] =>
  Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::SSM::Parameter')
    .map(({ Properties }) => String(Properties['Name']));

describe.each<[string, Readonly<Record<string, unknown>>]>([
  ['every optional part', everything],
  ['a value for every setting', everySetting],
  ['every optional part, high concurrency and removal of the data', { ...everything, lambdaConcurrency: '1000', removalPolicy: 'destroy' }],
  ['the defaults', { domain: 'example.com' }],
])('with %s', (_, settings) => {
  test(`no stack has more than ${maximumResources} resources`, () => {
    const sizes = Object.entries(synthesize(settings).templates).map(([name, { Resources }]) => ({ name, resources: Object.keys(Resources).length }));
    expect(sizes.filter(({ resources }) => resources > maximumResources)).toEqual([]);
  });
});

describe('values that stacks read from each other', () => {
  test('no Fn::ImportValue, no Export: an update of one stack never waits for another', () => {
    expect(stacks.filter(([, template]) => /"Fn::ImportValue"|"Export"/.test(JSON.stringify(template))).map(([name]) => name)).toEqual([]);
  });

  test('each value comes from a stack that is deployed before', () => {
    stacks.forEach(([name, template], index) => {
      const known = stacks.slice(0, index).flatMap(([, earlier]) => valuesStored(earlier));
      expect({ name, missing: valuesRead(template).filter((value) => !known.includes(value)) }).toEqual({ name, missing: [] });
    });
  });

  test('each value is read', () => {
    const read = stacks.flatMap(([, template]) => valuesRead(template));
    expect(stacks.flatMap(([, template]) => valuesStored(template)).filter((value) => !read.includes(value))).toEqual([]);
  });

  test('services find the tables by these values only, so that other tables can take their place', () => {
    const tables = ['directoryTableName', 'mailTableName', 'sendingTableName'].map((name) => `/postrider/Postrider/${name}`);
    expect(valuesRead(templates.services)).toEqual(expect.arrayContaining(tables));
    expect(valuesRead(templates.admin)).toEqual(expect.arrayContaining(tables));
  });
});

describe('restored tables', () => {
  const { Parameters = {}, Resources, Conditions } = templates.data;
  const names = ['directoryTableName', 'directoryTableStreamArn', 'mailTableName', 'mailTableStreamArn', 'sendingTableName'];

  test('take the place of those of the stack when its parameters name them, which are empty at first', () => {
    for (const name of names) {
      const parameter = restoredValueParameter(name);
      expect(Parameters[parameter]).toMatchObject({ Type: 'String', Default: '' });
      const [stored] = Object.values(Resources).filter(({ Properties }) => Properties['Name'] === `/postrider/Postrider/${name}`);
      expect(stored!.Properties['Value']).toEqual({ 'Fn::If': [`Has${parameter}`, { Ref: parameter }, expect.anything()] });
      expect(Conditions).toHaveProperty(`Has${parameter}`, { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: parameter }, ''] }] });
    }
  });

  test('are what the Lambdas of the data stack use too: none refers to a table of the stack directly', () => {
    const tables = Object.entries(Resources)
      .filter(([, { Type }]) => Type === 'AWS::DynamoDB::GlobalTable')
      .map(([id]) => id);
    const withoutConditions = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === 'Fn::If' ? null : each)));
    const referring = Object.entries(Resources).filter(([, resource]) =>
      tables.some((id) => JSON.stringify(withoutConditions(resource.Properties)).includes(`"${id}"`)),
    );
    expect(tables).toHaveLength(3);
    expect(referring.map(([id]) => id)).toEqual([]);
  });
});

describe('the data stack', () => {
  const kinds = ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket', 'AWS::Cognito::UserPool', 'AWS::SecretsManager::Secret'];
  /** The bucket of CloudTrail's records about support roles, which no mail depends on. */
  const recordsBucket = Object.entries(templates.services.Resources).find(([, { Type }]) => Type === 'AWS::S3::Bucket')?.[0];

  test('has the tables, the mail bucket, the user pool and the secrets; the other stacks have no data', () => {
    for (const type of kinds) {
      const owners = stacks.filter(([, { Resources }]) => Object.entries(Resources).some(([id, { Type }]) => Type === type && id !== recordsBucket));
      expect({ type, owners: owners.map(([name]) => name) }).toEqual({ type, owners: ['data'] });
    }
  });

  test('outlives its services: CloudFormation deletes neither the stack nor its tables, bucket and user pool', () => {
    expect(stacksFor(everything).data.terminationProtection).toBe(true);
    const kept = Object.entries(templates.data.Resources).filter(([, { Type }]) => kinds.slice(0, 3).includes(Type));
    expect(kept).toHaveLength(5);
    for (const [id, { DeletionPolicy, UpdateReplacePolicy }] of kept) {
      expect({ id, DeletionPolicy, UpdateReplacePolicy }).toEqual({ id, DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    }
  });

  test('makes nothing that is retained before the prerequisites are checked', () => {
    const { Resources } = templates.data;
    const [checked] = Object.entries(Resources).find(([, { Type }]) => Type === 'Custom::Prerequisites')!;
    const early = Object.entries(Resources).filter(([, { Type, DependsOn }]) => kinds.includes(Type) && ![DependsOn].flat().includes(checked));
    expect(early.map(([id]) => id)).toEqual([]);
  });

  test('can be deleted with removalPolicy=destroy', () => {
    const { data } = stacksFor({ ...everything, removalPolicy: 'destroy' });
    expect(data.terminationProtection).toBeFalsy();
  });

  test('has a Lambda only where its data needs one', () => {
    const names = Object.values(templates.data.Resources)
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .map(({ Properties }) => String(Properties['FunctionName']));
    expect(names.sort()).toEqual([
      'Postrider-client-secret',
      'Postrider-custom-message',
      'Postrider-deployed-clients',
      'Postrider-post-confirmation',
      'Postrider-pre-token',
      'Postrider-prerequisites',
      'Postrider-stored-secret',
    ]);
    // `empty-bucket` exists with removalPolicy=destroy only.
    expect(ofType('AWS::Lambda::Function')).toHaveLength(Object.keys(lambdaEntries).length - 1);
  });
});

test('the outputs are those of the stack that stackName names', () => {
  expect(Object.keys(templates.data.Outputs ?? {})).toEqual([]);
  expect(Object.keys(templates.admin.Outputs ?? {})).toEqual([]);
  expect(Object.keys(json.Outputs)).toEqual(
    expect.arrayContaining(['adminApiUrl', 'jmapUrl', 'userPoolId', 'JmapHeadlessClientId', 'JmapHeadlessClientSecret']),
  );
});
