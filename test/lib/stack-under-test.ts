import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template as assertions } from 'aws-cdk-lib/assertions';
import { stacksFor } from './stacks-for.ts';
import { templateFolder } from './template-folder.ts';

/** A resource of a template, as CloudFormation reads it. */
export type Resource = {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
};

/** A context with all optional parts of the stack. */
export const everything = {
  domain: 'example.com',
  hostedZoneId: 'Z0123456789ABCDEFGHIJ',
  adminEmail: 'ada@example.com',
  alarmEmail: 'ops@example.com',
  backupDays: '365',
  consoleOrigins: '["https://console.example.com"]',
  supportPrincipals: '["arn:aws:iam::111122223333:role/supporters"]',
  headlessClients: JSON.stringify([
    { name: 'JmapHeadless', audiences: ['jmapApi'], permissions: ['MAIL_READ', 'MAIL_WRITE'] },
    { name: 'AdminHeadless', audiences: ['adminApi'], permissions: ['ADMIN'] },
  ]),
} as const;

/** A value for every setting. Each of them changes the template. */
export const everySetting: Readonly<Record<string, unknown>> = {
  ...everything,
  prefix: 'staging',
  dynamicRegistration: 'false',
  mfa: 'off',
  receiptRules: 'domains',
  signInMailFrom: 'no-reply@example.com',
  passkeys: 'true',
  encryptTopics: 'true',
  recordSubjects: 'false',
  forwardOutside: 'false',
  webmail: 'true',
  webmailHost: 'post',
  supportTrail: 'account',
  dnsZoneIds: '["Z0123456789ABCDEFGHIJ"]',
  removalPolicy: 'destroy',
  webPushNetworks: '["10.1.0.0/16"]',
  publicUrls: '{"jmap":"https://mail.example.com","webSocketManagement":"https://gateway.example.net/{apiId}/jmap"}',
  lambdaConcurrency: 1000,
  maxOctetsPerAccount: 5_000_000_000,
  maxEmailsPerAccount: 200_000,
  deletedMailRetentionDays: 35,
  maxRecipientsPerMinute: 100,
  maxRecipientsPerDay: 2_000,
  authDomainPrefix: 'example-mail',
  stackName: 'PostriderStaging',
};

/** The template of one stack. */
type Template = {
  readonly Resources: Record<string, Resource>;
  readonly Outputs?: Record<string, { Value: unknown }>;
  readonly Conditions?: Record<string, unknown>;
  readonly Parameters?: Record<string, { readonly Type: string; readonly Default?: string }>;
};

/** The templates of a deployment's stacks, in the order in which they are deployed. */
type Templates = { readonly data: Template; readonly services: Template; readonly admin: Template };

const newTemplates = (values: Readonly<Record<string, unknown>>): Templates => {
  const { data, services, admin } = stacksFor(values);
  const templateOf = (stack: typeof data | typeof services | typeof admin) => assertions.fromStack(stack).toJSON() as Template;
  return { data: templateOf(data), services: templateOf(services), admin: templateOf(admin) };
};

/** The templates for a context. The first test file of a run that needs them stores them for the other files. */
const templatesFor = (values: Readonly<Record<string, unknown>>): Templates => {
  const name = createHash('sha256').update(JSON.stringify(values)).digest('hex');
  const path = join(templateFolder(), `${name}.json`);
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Templates;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const templates = newTemplates(values);
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(templates));
  renameSync(draft, path);
  return templates;
};

/** The values in a list that is joined by commas, each of them a reference. */
const partsOf = (joinedList: unknown): unknown[] | undefined =>
  (joinedList as { 'Fn::Join'?: [string, unknown[]] })['Fn::Join']?.[1].filter((part) => part !== ',');

/**
 * A value in which each reference to a parameter is replaced by the value that another stack stores there. Tables are
 * those of the stack, not restored ones.
 */
const withSharedValues = (value: unknown, shared: ReadonlyMap<string, unknown>, parameters: Template['Parameters']): unknown => {
  if (Array.isArray(value)) return value.map((each) => withSharedValues(each, shared, parameters));
  if (typeof value !== 'object' || value === null) return value;
  const [condition, , own] = (value as { 'Fn::If'?: [string, unknown, unknown] })['Fn::If'] ?? [];
  if (condition?.startsWith('HasRestored')) return own;
  const name = parameters?.[(value as { Ref?: string }).Ref ?? '']?.Default;
  if (name !== undefined && shared.has(name)) return shared.get(name);
  const [index, list] = (value as { 'Fn::Select'?: [number | string, { 'Fn::Split'?: [string, unknown] }] })['Fn::Select'] ?? [];
  const selected = list?.['Fn::Split'] && partsOf(withSharedValues(list['Fn::Split'][1], shared, parameters))?.[Number(index)];
  if (selected !== undefined) return selected;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withSharedValues(each, shared, parameters)]));
};

/** The deployment as one template: the resources of all stacks, which refer to each other directly. */
const joined = ({
  data,
  services,
  admin,
}: Templates): { readonly Resources: Record<string, Resource>; readonly Outputs: Record<string, { Value: unknown }> } => {
  const shared = new Map<string, unknown>();
  const Resources: Record<string, Resource> = {};
  for (const template of [data, services, admin]) {
    for (const [id, resource] of Object.entries(template.Resources)) {
      if (id in Resources) throw new Error(`Two stacks have a resource ${id}`);
      const own = withSharedValues(resource, shared, template.Parameters) as Resource;
      if (own.Type === 'AWS::SSM::Parameter') shared.set(String(own.Properties['Name']), own.Properties['Value']);
      Resources[id] = own;
    }
  }
  return { Resources, Outputs: withSharedValues(services.Outputs, shared, services.Parameters) as Record<string, { Value: unknown }> };
};

/** The templates for a context and functions to query them. */
export const synthesize = (values: Readonly<Record<string, unknown>>): Synthesized => read(templatesFor(values));

export type Synthesized = ReturnType<typeof read>;

const read = (templates: Templates) => {
  const json = joined(templates);
  const resources = Object.entries(json.Resources).map(([id, resource]) => ({ id, ...resource }));
  return {
    /** The deployment as one template. */
    json,
    /** The template of each stack, as it is deployed. */
    templates,
    /** Resources of a type, by logical id. */
    ofType: (type: string) => resources.filter((resource) => resource.Type === type),
    resources,
  };
};

/** The logical id that a `{ Ref }` refers to. */
export const refOf = (value: unknown): string => (value as { Ref: string }).Ref;

/** The environment variables of a Lambda. */
export const variablesOf = ({ Properties }: Pick<Resource, 'Properties'>): Record<string, unknown> =>
  (Properties['Environment'] as { Variables: Record<string, unknown> }).Variables;

/** A logical id without the CDK's hash at the end. */
export const plainId = (id: string): string => id.replace(/[0-9A-F]{8}$/, '');

/** A value of the template in one line: `Ref` as `<Storage Bucket>`, `Fn::GetAtt` with the attribute after a dot. */
export const readable = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  const [[name, argument]] = Object.entries(value) as [[string, unknown]];
  if (name === 'Ref') return `<${plainId(String(argument))}>`;
  if (name === 'Fn::GetAtt') return `<${plainId((argument as string[])[0]!)}.${(argument as string[])[1]}>`;
  if (name === 'Fn::Join') return (argument as [string, unknown[]])[1].map(readable).join('');
  return JSON.stringify(value);
};
