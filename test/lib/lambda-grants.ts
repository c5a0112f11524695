import { readable, refOf, type Synthesized } from './stack-under-test.ts';

type Statement = { readonly Effect: string; readonly Action: string | string[]; readonly Resource: unknown; readonly Condition?: unknown };
type Document = { readonly PolicyDocument: { readonly Statement: Statement[] } };

const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/**
 * The ARN of a table, the bucket or the pool as its own stack writes it. Other stacks build the ARN from the name,
 * which they read from Parameter Store.
 */
const asOwnArn = (arn: string): string =>
  arn.replace(/^arn:<AWS::Partition>:(?:dynamodb|s3|cognito-idp):(?:<AWS::Region>)?:(?:<AWS::AccountId>)?:(?:table\/|userpool\/)?(<\w+)>/, '$1.Arn>');

/** The lines of a statement: `action resource`, with ` if condition` when it has one. */
const lines = ({ Effect, Action, Resource, Condition }: Statement): string[] => {
  expect(Effect).toBe('Allow');
  return list(Action).flatMap((action) =>
    list(Resource).map((resource) => `${action} ${asOwnArn(readable(resource))}${Condition ? ` if ${JSON.stringify(Condition)}` : ''}`),
  );
};

/** The grants of each Lambda, by its name without the stack's name. */
export const grantsOfLambdas = (ofType: Synthesized['ofType']): Record<string, string[]> =>
  Object.fromEntries(
    ofType('AWS::Lambda::Function').map(({ Properties }) => {
      const name = String(Properties['FunctionName']).replace('Postrider-', '');
      const roleId = (Properties['Role'] as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0];
      const role = ofType('AWS::IAM::Role').find(({ id }) => id === roleId)!;
      const attached = ofType('AWS::IAM::Policy').filter(({ Properties }) => (Properties['Roles'] as unknown[]).some((each) => refOf(each) === roleId));
      const documents = [...(role.Properties['Policies'] as Document[]), ...attached.map((policy) => policy.Properties as unknown as Document)];
      expect(role.Properties).not.toHaveProperty('ManagedPolicyArns');
      return [
        name,
        documents
          .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
          .flatMap(lines)
          .sort(),
      ];
    }),
  );

/** A grant on items: the action and table, and the JSON of its partitions. */
export const itemGrant = /^(dynamodb:\w+ \S+) if \{"ForAllValues:StringLike":\{"dynamodb:LeadingKeys":(\[.*\])\}\}$/;

/** The lines, of which those for items of one table and action are one line with all their partitions. */
export const withPartitionsJoined = (expectedLines: readonly string[]): string[] => {
  const partitionsOf = new Map<string, Set<string>>();
  const others = expectedLines.filter((line) => {
    const [, granted = '', partitions = '[]'] = itemGrant.exec(line) ?? [];
    if (granted === '') return true;
    partitionsOf.set(granted, new Set([...(partitionsOf.get(granted) ?? []), ...(JSON.parse(partitions) as string[])]));
    return false;
  });
  const joined = [...partitionsOf].map(
    ([granted, partitions]) => `${granted} if ${JSON.stringify({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...partitions].sort() } })}`,
  );
  return [...others, ...joined];
};
