import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  consoleOrigins: '["https://console.example.com"]',
  supportPrincipals: '["arn:aws:iam::111122223333:role/supporters"]',
  headlessClients: JSON.stringify([
    { name: 'JmapHeadless', audiences: ['jmapApi'], permissions: ['MAIL_READ', 'MAIL_WRITE'] },
    { name: 'AdminHeadless', audiences: ['adminApi'], permissions: ['ADMIN'] },
  ]),
} as const;

type Template = { readonly Resources: Record<string, Resource>; readonly Outputs: Record<string, { Value: unknown }> };

/** Synthesizes a template. The CDK is loaded here, because most test files find their template synthesized. */
const newTemplate = (values: Readonly<Record<string, unknown>>): Template => {
  const { Template: assertions } = jest.requireActual<typeof import('aws-cdk-lib/assertions')>('aws-cdk-lib/assertions');
  const { stackFor } = jest.requireActual<typeof import('./stack-for.ts')>('./stack-for.ts');
  return assertions.fromStack(stackFor(values)).toJSON() as Template;
};

/** The template for a context: the first test file of a run that needs it writes it for all others. */
const templateFor = (values: Readonly<Record<string, unknown>>): Template => {
  const name = createHash('sha256').update(JSON.stringify(values)).digest('hex');
  const path = join(templateFolder(), `${name}.json`);
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Template;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const template = newTemplate(values);
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(template));
  renameSync(draft, path);
  return template;
};

/** The template for a context and functions to query it. */
export const synthesize = (values: Readonly<Record<string, unknown>>): Synthesized => read(templateFor(values));

type Synthesized = ReturnType<typeof read>;

const read = (json: Template) => {
  const resources = Object.entries(json.Resources).map(([id, resource]) => ({ id, ...resource }));
  return {
    json,
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

/** A logical id without the CDK's hash at its end. */
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
