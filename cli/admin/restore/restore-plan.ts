import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  ListTagsOfResourceCommand,
  type DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { sharedValueParameter, storedTables, tableNameValue, type StoredTable } from '../../../contract/deployment/stored-data.ts';
import { keysOf, recordOf } from '../../../contract/values/typed-entries.ts';
import { CliError } from '../../terminal/cli-error.ts';
import { isAwsError, type RestoreDependencies } from './restore-clients.ts';

/** The tag of a restored table that names the table from which it was restored. */
export const sourceTag = 'postrider:restored-from';

/** A table that is restored: from which table, and into which one. */
export type TableRestore = { readonly table: StoredTable; readonly source: string; readonly target: string };

export type RestorePlan = {
  readonly tables: Readonly<Record<StoredTable, TableRestore>>;
  /** Whether the data stack names the restored tables already. Then a restore changes nothing in them any more. */
  readonly isSwitched: boolean;
  readonly mailBucket: string;
  readonly userPoolId: string;
};

export const tablesOf = ({ tables }: Pick<RestorePlan, 'tables'>): readonly TableRestore[] => Object.values(tables);

/** The time as a part of names: 20261126T075500Z. */
export const timeLabel = (time: Date): string => time.toISOString().replaceAll(/[-:]|\.\d+/g, '');

/** The name of a restored table. The same restore has the same names, so that a call goes on where another ended. */
export const restoredTableName = (deployment: string, table: StoredTable, time: Date): string => `${deployment}-${table}-${timeLabel(time)}`;

/** @returns undefined when there is no such table. */
export const findTable = async (dynamodb: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> => {
  try {
    return (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (isAwsError(error, 'ResourceNotFoundException')) return undefined;
    throw error;
  }
};

const readSharedValue = async (ssm: SSMClient, deployment: string, name: string): Promise<string> => {
  try {
    return (await ssm.send(new GetParameterCommand({ Name: sharedValueParameter(deployment, name) }))).Parameter!.Value!;
  } catch (error) {
    if (!isAwsError(error, 'ParameterNotFound')) throw error;
    throw new CliError(
      `there is no deployment ${deployment} in this account and region: no parameter ${sharedValueParameter(deployment, name)}. ` +
        'Name its stack with --stack, and its region with AWS_REGION',
    );
  }
};

/** The table from which a restored table was made. @returns undefined for any other table. */
const sourceOf = async (dynamodb: DynamoDBClient, { TableArn }: TableDescription): Promise<string | undefined> => {
  const { Tags = [] } = await dynamodb.send(new ListTagsOfResourceCommand({ ResourceArn: TableArn }));
  return Tags.find(({ Key }) => Key === sourceTag)?.Value;
};

const minute = 60_000;

/** The time as people write it: 2026-11-26T07:55:00Z. */
export const inSeconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/**
 * The table that knows the time: the one in use, or for a time before a restore the one from which it was restored.
 * @throws CliError when no table can be restored to the time.
 */
const findSource = async ({ clients: { dynamodb }, time }: RestoreDependencies, current: string): Promise<string> => {
  for (let name = current; ;) {
    const table = await findTable(dynamodb, name);
    if (!table) throw new CliError(`the table ${name} is gone. If it was deleted, DynamoDB has a backup of it: docs/restore.md#a-table-was-deleted`);
    const { ContinuousBackupsDescription } = await dynamodb.send(new DescribeContinuousBackupsCommand({ TableName: name }));
    const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } = ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
    const earlier = await sourceOf(dynamodb, table);
    if (earliest && latest && earliest <= new Date(time.getTime() + 999) && time <= latest) return name;
    if (earliest && latest && time > latest) {
      throw new CliError(
        `${name} can be restored to ${inSeconds(latest)} at the latest. Wait ${Math.ceil((time.getTime() - latest.getTime()) / minute)} minutes, or take an earlier time`,
      );
    }
    if (earlier === undefined) {
      throw new CliError(earliest ? `${name} can be restored to ${inSeconds(earliest)} at the earliest` : `${name} has no point-in-time recovery`);
    }
    name = earlier;
  }
};

/** Finds what is restored into what. It changes nothing. @throws CliError when the restore cannot be made. */
export const planRestore = async (dependencies: RestoreDependencies): Promise<RestorePlan> => {
  const {
    clients: { ssm, dynamodb },
    deployment,
    time,
  } = dependencies;
  const names = keysOf(storedTables);
  const current = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readSharedValue(ssm, deployment, tableNameValue(name))] as const)),
  );
  const target = (name: StoredTable): string => restoredTableName(deployment, name, time);
  const isSwitched = names.every((name) => current[name] === target(name));
  const tables = await Promise.all(
    names.map(async (table): Promise<TableRestore> => {
      const used = current[table]!;
      const source = used === target(table) ? await sourceOf(dynamodb, (await findTable(dynamodb, used))!) : await findSource(dependencies, used);
      if (source === undefined) throw new CliError(`the table ${used} has no tag ${sourceTag}, which names the table that it was restored from`);
      return { table, source, target: target(table) };
    }),
  );
  return {
    tables: recordOf(names, (name) => tables[names.indexOf(name)]!),
    isSwitched,
    mailBucket: await readSharedValue(ssm, deployment, 'mailBucketName'),
    userPoolId: await readSharedValue(ssm, deployment, 'userPoolId'),
  };
};
