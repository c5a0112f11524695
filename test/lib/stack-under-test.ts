import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { deploymentContext } from '../../lib/deployment-context.ts';
import { PostriderStack } from '../../lib/postrider-stack.ts';

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

/** The stack for a context. Its Lambdas have inline code, so that nothing is bundled. */
export const stackFor = (values: Readonly<Record<string, unknown>>): PostriderStack => {
  const context = deploymentContext(values);
  return new PostriderStack(new App(), context.stackName, {
    context, code: () => Code.fromInline('exports.handler = async () => undefined;'),
  });
};

const cache = new Map<string, Synthesized>();

/** The template for a context and functions to query it. Equal contexts are synthesized once. */
export const synthesize = (values: Readonly<Record<string, unknown>>): Synthesized => {
  const key = JSON.stringify(values);
  const known = cache.get(key) ?? read(Template.fromStack(stackFor(values)));
  cache.set(key, known);
  return known;
};

type Synthesized = ReturnType<typeof read>;

const read = (template: Template) => {
  const json = template.toJSON() as { Resources: Record<string, Resource>; Outputs: Record<string, { Value: unknown }> };
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
