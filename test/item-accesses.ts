import { readFile } from 'node:fs/promises';
import { GetRolePolicyCommand, IAMClient, paginateListRolePolicies } from '@aws-sdk/client-iam';
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { mapConcurrently } from '../core/runtime/map-concurrently.ts';
import { awsClientConfig, type AwsTarget } from '../sandbox/deployment/aws-target.ts';
import { itemAccessesFile } from '../sandbox/emulator/emulator-process.ts';

/** An action on the items of a table whose partition key has this pattern, by the role of a Lambda. */
type ItemAction = { readonly role: string; readonly action: string; readonly table: string; readonly partition: string };
type Statement = {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: string | string[];
  readonly Condition?: { readonly 'ForAllValues:StringLike'?: { readonly 'dynamodb:LeadingKeys'?: string | string[] } };
};

const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);
const lastPart = (arn: string): string => arn.slice(arn.lastIndexOf('/') + 1);

/** Each partition that a statement grants, with each action and table. */
const grantsOf = (role: string, { Effect, Action, Resource, Condition }: Statement): ItemAction[] => {
  const tables = list(Resource).filter((arn) => /:table\/[^/]+$/.test(arn));
  const partitions = list(Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? '*');
  return Effect !== 'Allow'
    ? []
    : list(Action).flatMap((action) => tables.flatMap((arn) => partitions.map((partition) => ({ role, action, table: lastPart(arn), partition }))));
};

/** The grants on items of all Lambdas, and their names by their roles. */
const readGrants = async (aws: AwsTarget) => {
  const [iam, lambda] = [new IAMClient(awsClientConfig(aws)), new LambdaClient(awsClientConfig(aws))];
  try {
    const lambdas = new Map<string, string>();
    for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
      for (const { Role, FunctionName } of Functions) lambdas.set(lastPart(Role!), FunctionName!);
    }
    const grants = await mapConcurrently(
      [...lambdas.keys()],
      async (RoleName) => {
        const names: string[] = [];
        for await (const page of paginateListRolePolicies({ client: iam }, { RoleName })) names.push(...(page.PolicyNames ?? []));
        const policies = await Promise.all(names.map((PolicyName) => iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }))));
        return policies.flatMap(({ PolicyDocument }) =>
          list((JSON.parse(decodeURIComponent(PolicyDocument!)) as { Statement: Statement | Statement[] }).Statement).flatMap((statement) =>
            grantsOf(RoleName, statement),
          ),
        );
      },
      { atOnce: 8 },
    );
    return { lambdas, grants: grants.flat() };
  } finally {
    for (const client of [iam, lambda]) client.destroy();
  }
};

const allows = (grant: ItemAction, access: ItemAction): boolean =>
  grant.role === access.role &&
  grant.action === access.action &&
  grant.table === access.table &&
  (grant.partition.endsWith('*') ? access.partition.startsWith(grant.partition.slice(0, -1)) : access.partition === grant.partition);

/**
 * Compares the items that the Lambdas of a sandbox accessed with the statements of their roles.
 * @returns a description of each access outside of them, and of each grant that no Lambda used.
 */
export const compareItemAccesses = async (aws: AwsTarget, emulatorDirectory: string): Promise<{ readonly outside: string[]; readonly unused: string[] }> => {
  const { lambdas, grants } = await readGrants(aws);
  const lines = (await readFile(itemAccessesFile(emulatorDirectory), 'utf8')).split('\n').map((line) => line.split(' '));
  const accesses = lines.flatMap(([decision = '', role = '', action = '', table = '', partition = '']) =>
    lambdas.has(role) ? [{ decision, role, action, table, partition }] : [],
  );
  const describe = ({ role, action, table, partition }: ItemAction): string => `${lambdas.get(role)} ${action} ${table} ${partition}`;
  const allowed = new Set(accesses.filter(({ decision }) => decision === 'Allow').map(describe));
  // iam-enforcement.test.ts takes policies away for a time, so that an access is denied that was allowed before.
  const outside = accesses.filter((access) => !allowed.has(describe(access)) || !grants.some((grant) => allows(grant, access)));
  return {
    outside:
      accesses.length === 0 ? ['no access to an item was recorded, so nothing was compared'] : outside.map((access) => `not granted: ${describe(access)}`),
    unused: grants
      .filter((grant) => !accesses.some((access) => allows(grant, access)))
      .map((grant) => `never used: ${describe(grant)}`)
      .sort(),
  };
};
