/** A resource of a template. */
export type TemplateResource = {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly Metadata?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
};

/** A template of CloudFormation. */
export type StackTemplate = {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
};

/** The import of the data into the data stack. */
export type DataImport = {
  readonly template: StackTemplate;
  readonly resources: readonly {
    readonly ResourceType: string; readonly LogicalResourceId: string; readonly ResourceIdentifier: Record<string, string>;
  }[];
};

type Properties = Readonly<Record<string, unknown>>;

/**
 * The resource types that CloudFormation can import, with the identifier of a resource: the `primaryIdentifier` of its
 * schema.
 */
const identifiers: Readonly<Record<string, (physicalId: string, properties: Properties) => Record<string, string>>> = {
  'AWS::DynamoDB::GlobalTable': (TableName) => ({ TableName }),
  'AWS::S3::Bucket': (BucketName) => ({ BucketName }),
  'AWS::S3::BucketPolicy': (_, { Bucket }) => ({ Bucket: String(Bucket) }),
  'AWS::Cognito::UserPool': (UserPoolId) => ({ UserPoolId }),
  'AWS::Cognito::UserPoolResourceServer': (_, { UserPoolId, Identifier }) => ({ UserPoolId: String(UserPoolId), Identifier: String(Identifier) }),
  'AWS::Cognito::UserPoolClient': (ClientId, { UserPoolId }) => ({ UserPoolId: String(UserPoolId), ClientId }),
  'AWS::SecretsManager::Secret': (Id) => ({ Id }),
  'AWS::Logs::LogGroup': (LogGroupName) => ({ LogGroupName }),
  'AWS::Lambda::Function': (FunctionName) => ({ FunctionName }),
};

/** The constructs of the data stack. Their resources have the same logical ids in one stack and in several stacks. */
const dataConstructs = /^(Storage|StoredSecrets|UserPool|HeadlessClients)/;

/** App clients without a secret belong to the services: to the console and to the command line. */
const isOfServices = ({ Type, Properties }: TemplateResource): boolean =>
  Type === 'AWS::Cognito::UserPoolDomain' || (Type === 'AWS::Cognito::UserPoolClient' && Properties?.['GenerateSecret'] !== true);

const isCustom = ({ Type }: TemplateResource): boolean => Type.startsWith('Custom::');

/**
 * The logical ids of the resources that are moved out of the one stack of release 0.1.0. Custom resources are only
 * dropped, without a call to their Lambdas, because one of these would empty the mail bucket. The data stack creates
 * them again. Roles and policies stay in the old stack until the services are deployed, while the data stack has new
 * ones.
 */
export const leavingResources = ({ Resources }: StackTemplate): string[] => Object.entries(Resources)
  .filter(([id, resource]) => dataConstructs.test(id) && !isOfServices(resource) && (resource.Type in identifiers || isCustom(resource)))
  .map(([id]) => id);

/** A reference to a resource, by `Ref` or `Fn::GetAtt`. */
type Reference = { readonly id: string; readonly attribute: string | undefined };

const referenceOf = (value: object): Reference | undefined => {
  const [[name, argument] = ['', undefined], ...rest] = Object.entries(value);
  if (rest.length > 0) return undefined;
  if (name === 'Ref') return { id: argument as string, attribute: undefined };
  if (name !== 'Fn::GetAtt') return undefined;
  const [id = '', attribute] = Array.isArray(argument) ? argument as string[] : String(argument).split(/\.(.*)/s);
  return { id, attribute };
};

/** Replaces each reference in a value, or keeps it when `replace` returns undefined. */
const mapReferences = (value: unknown, replace: (reference: Reference) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => mapReferences(each, replace));
  if (typeof value !== 'object' || value === null) return value;
  const reference = referenceOf(value);
  if (reference) return replace(reference) ?? value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapReferences(each, replace)]));
};

/** The name of the output with the value of a reference. */
const outputOf = ({ id, attribute = 'Ref' }: Reference): string => `Moving${id}${attribute.replaceAll(/\W/g, '')}`;

/** Whether the stack already has the outputs of {@link retainingData}. */
export const isRetainingData = (outputs: Readonly<Record<string, string>>): boolean => Object.keys(outputs).some((name) => name.startsWith('Moving'));

/**
 * The template of the one stack before the move: the moved resources are retained when they are dropped, and an output
 * has the value of each reference to them, and of each of their own references.
 */
export const retainingData = (template: StackTemplate): StackTemplate => {
  const leaving = new Set(leavingResources(template));
  const outputs = new Map<string, { readonly Value: unknown }>();
  for (const [owner, resource] of Object.entries(template.Resources)) {
    mapReferences(resource.Properties, (reference) => {
      const isNeeded = reference.id in template.Resources && (leaving.has(reference.id) || leaving.has(owner));
      if (isNeeded) outputs.set(outputOf(reference), { Value: reference.attribute === undefined ? { Ref: reference.id } : { 'Fn::GetAtt': [reference.id, reference.attribute] } });
      return undefined;
    });
  }
  // CloudFormation changes the policy of a resource only together with something else of it, such as its metadata.
  const retained = (resource: TemplateResource): TemplateResource => ({
    ...resource, DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain', Metadata: { ...resource.Metadata, leaves: 'this stack' },
  });
  return {
    ...template,
    Resources: Object.fromEntries(Object.entries(template.Resources).map(([id, resource]) => [id, leaving.has(id) ? retained(resource) : resource])),
    Outputs: { ...template.Outputs, ...Object.fromEntries(outputs) },
  };
};

/**
 * Key of the metadata that the one stack's template has while its data is moved: after the resources were dropped, and
 * before they are imported.
 */
const importKey = 'PostriderDataImport';

export const pendingImport = ({ Metadata }: StackTemplate): DataImport | undefined => Metadata?.[importKey] as DataImport | undefined;

/**
 * The template of the one stack without its data. Its metadata contain the import of the data, so that an interrupted
 * move can continue.
 * @param template a template from {@link retainingData}.
 * @param values the outputs of the stack with that template.
 * @param physicalIds the physical ids of the stack's resources by their logical ids.
 */
export const withoutData = (
  template: StackTemplate, values: Readonly<Record<string, string>>, physicalIds: Readonly<Record<string, string>>,
): StackTemplate => {
  const leaving = new Set(leavingResources(template));
  const literal = (reference: Reference): string => {
    const value = values[outputOf(reference)];
    if (value === undefined) throw new Error(`The stack has no output ${outputOf(reference)}`);
    return value;
  };
  const dependencies = ({ DependsOn = [], ...resource }: TemplateResource): TemplateResource => {
    const kept = [DependsOn].flat().filter((id) => !leaving.has(id));
    return kept.length > 0 ? { ...resource, DependsOn: kept } : resource;
  };
  const imported = Object.entries(template.Resources).filter(([id, resource]) => leaving.has(id) && !isCustom(resource)).map(([id, resource]) => {
    const { DependsOn: _, ...own } = resource;
    const Properties = mapReferences(own.Properties, (reference) => (reference.id in template.Resources ? literal(reference) : undefined)) as Properties;
    return [id, { ...own, Properties }] as const;
  });
  const dataImport: DataImport = {
    template: { Resources: Object.fromEntries(imported) },
    resources: imported.map(([id, { Type, Properties }]) => (
      { ResourceType: Type, LogicalResourceId: id, ResourceIdentifier: identifiers[Type]!(physicalIds[id]!, Properties) })),
  };
  const kept = Object.entries(template.Resources).filter(([id]) => !leaving.has(id)).map(([id, resource]) => [id, dependencies(resource)] as const);
  const outputs = Object.entries(template.Outputs ?? {}).filter(([name]) => !isRetainingData({ [name]: '' }));
  const detached = (value: unknown): unknown => mapReferences(value, (reference) => (leaving.has(reference.id) ? literal(reference) : undefined));
  return {
    ...template,
    Metadata: { ...template.Metadata, [importKey]: dataImport },
    Resources: detached(Object.fromEntries(kept)) as StackTemplate['Resources'],
    Outputs: detached(Object.fromEntries(outputs)) as Properties,
  };
};
