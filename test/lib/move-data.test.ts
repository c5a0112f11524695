import { leavingResources, retainingData, withoutData, pendingImport, type StackTemplate } from '../../lib/stacks/moved-data.ts';
import { everything, synthesize } from './stack-under-test.ts';

const { json, templates } = synthesize({ ...everything, removalPolicy: 'destroy' });
/** All resources in one stack, as in a deployment of release 0.1.0. */
const oneStack = json as StackTemplate;
const leaving = leavingResources(oneStack);
const retained = retainingData(oneStack);
/** Values of outputs like those of CloudFormation. */
const values = Object.fromEntries(Object.keys(retained.Outputs!).map((name) => [name, `value of ${name}`]));
const physicalIds = Object.fromEntries(Object.keys(oneStack.Resources).map((id) => [id, `physical-${id}`]));
const detached = withoutData(retained, values, physicalIds);
const dataImport = pendingImport(detached)!;

/** Whether 0.1.0 did not have the resource. */
const isNew = (id: string) => /^(?:Prerequisites|DeployedClients)/.test(id);
const isImported = (type: string) => !type.startsWith('Custom::');
const namesIn = (value: unknown): string => JSON.stringify(value);

describe('the move of the data from one stack into the data stack', () => {
  test('takes everything whose loss or second creation would do harm, under the ids that the data stack gives it', () => {
    const stated = ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket', 'AWS::S3::BucketPolicy', 'AWS::Cognito::UserPool',
      'AWS::Cognito::UserPoolResourceServer', 'AWS::Cognito::UserPoolClient', 'AWS::SecretsManager::Secret', 'AWS::Logs::LogGroup',
      'AWS::Lambda::Function'];
    const expected = Object.entries(templates.data.Resources).filter(([id, { Type }]) => (stated.includes(Type) || !isImported(Type)) && !isNew(id)).map(([id]) => id);
    expect([...leaving].sort()).toEqual(expected.sort());
  });

  test('retains what leaves: CloudFormation deletes none of it and calls no custom resource, which would empty the bucket', () => {
    for (const id of leaving) expect({ id, policy: retained.Resources[id]!.DeletionPolicy }).toEqual({ id, policy: 'Retain' });
    expect(leaving.map((id) => retained.Resources[id]!.Type)).toContain('Custom::EmptiedBucket');
    expect(Object.keys(retained.Outputs!).length).toBeLessThanOrEqual(200);
  });

  test('leaves the services as they are: a reference becomes the value that it had', () => {
    expect(Object.keys(detached.Resources)).toEqual(Object.keys(oneStack.Resources).filter((id) => !leaving.includes(id)));
    for (const id of leaving) {
      expect({ id, isReferred: namesIn({ ...detached, Metadata: {} }).includes(`"${id}"`) }).toEqual({ id, isReferred: false });
    }
    expect(Object.keys(detached.Outputs!)).toEqual(Object.keys(oneStack.Outputs!));
  });

  test('imports with literal values only, and each resource with its identifier', () => {
    expect(Object.keys(dataImport.template.Resources).sort()).toEqual(leaving.filter((id) => isImported(oneStack.Resources[id]!.Type)).sort());
    for (const id of Object.keys(oneStack.Resources)) expect(namesIn(dataImport.template.Resources)).not.toContain(`"Ref":"${id}"`);
    for (const { LogicalResourceId: id, ResourceIdentifier: identifier } of dataImport.resources) {
      expect({ id, isComplete: Object.values(identifier).every((value) => typeof value === 'string' && value !== 'undefined') }).toEqual({ id, isComplete: true });
    }
    const table = dataImport.resources.find(({ ResourceType }) => ResourceType === 'AWS::DynamoDB::GlobalTable')!;
    expect(table.ResourceIdentifier).toEqual({ TableName: `physical-${table.LogicalResourceId}` });
  });
});
