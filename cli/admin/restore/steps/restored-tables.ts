import { setTimeout as delay } from 'node:timers/promises';
import {
  DescribeContinuousBackupsCommand,
  DescribeTimeToLiveCommand,
  ListTagsOfResourceCommand,
  RestoreTableToPointInTimeCommand,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  type TableDescription,
  type UpdateTableCommandInput,
} from '@aws-sdk/client-dynamodb';
import { recoveryDays, storedTables, streamViewType, timeToLiveAttribute } from '../../../../contract/deployment/stored-data.ts';
import { CliError } from '../../../terminal/cli-error.ts';
import { isAwsError, type RestoreDependencies } from '../restore-clients.ts';
import { findTable, sourceTag, type TableRestore } from '../restore-plan.ts';

/** Milliseconds after which a wait says that it goes on. */
const reminder = 60_000;

/** Waits until a table can be used. @throws CliError when it is gone. */
const waitUntilActive = async ({ clients: { dynamodb }, say, now, pollInterval }: RestoreDependencies, name: string): Promise<TableDescription> => {
  for (let said = now(); ;) {
    const table = await findTable(dynamodb, name);
    if (!table) throw new CliError(`the table ${name} is gone`);
    if (table.TableStatus === 'ACTIVE') return table;
    if (now() - said >= reminder) {
      said = now();
      say(`  ${name}: ${table.TableStatus}`);
    }
    await delay(pollInterval);
  }
};

/** Begins to restore a table, unless an earlier call did. */
const begin = async ({ clients: { dynamodb }, time, say }: RestoreDependencies, { source, target }: TableRestore): Promise<void> => {
  if (await findTable(dynamodb, target)) return say(`  ${target}: an earlier call began it`);
  try {
    await dynamodb.send(new RestoreTableToPointInTimeCommand({ SourceTableName: source, TargetTableName: target, RestoreDateTime: time }));
    say(`  ${target}: is restored from ${source}`);
  } catch (error) {
    if (!isAwsError(error, 'TableAlreadyExistsException')) throw error;
  }
};

/** Point-in-time recovery can be enabled some time after a table was restored. */
const enableRecovery = async ({ clients: { dynamodb }, pollInterval }: RestoreDependencies, TableName: string): Promise<void> => {
  for (;;) {
    const { ContinuousBackupsDescription: backups } = await dynamodb.send(new DescribeContinuousBackupsCommand({ TableName }));
    if (backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED') return;
    try {
      await dynamodb.send(
        new UpdateContinuousBackupsCommand({
          TableName,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: recoveryDays },
        }),
      );
    } catch (error) {
      if (!isAwsError(error, 'ContinuousBackupsUnavailableException')) throw error;
      await delay(pollInterval);
    }
  }
};

const enableTimeToLive = async ({ clients: { dynamodb } }: RestoreDependencies, TableName: string): Promise<void> => {
  const { TimeToLiveDescription: found } = await dynamodb.send(new DescribeTimeToLiveCommand({ TableName }));
  if (found?.TimeToLiveStatus === 'ENABLED' || found?.TimeToLiveStatus === 'ENABLING') return;
  await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: timeToLiveAttribute } }));
};

/**
 * Copies the tags that people and the CDK gave the source, and names the source. CloudFormation's own tags can't be
 * copied.
 */
const tag = async ({ clients: { dynamodb } }: RestoreDependencies, source: TableDescription, target: TableDescription): Promise<void> => {
  const tagsOf = async ({ TableArn }: TableDescription) => (await dynamodb.send(new ListTagsOfResourceCommand({ ResourceArn: TableArn }))).Tags ?? [];
  const present = await tagsOf(target);
  const wanted = [...(await tagsOf(source)).filter(({ Key }) => !Key!.startsWith('aws:') && Key !== sourceTag), { Key: sourceTag, Value: source.TableName }];
  const missing = wanted.filter(({ Key, Value }) => !present.some((each) => each.Key === Key && each.Value === Value));
  if (missing.length > 0) await dynamodb.send(new TagResourceCommand({ ResourceArn: target.TableArn, Tags: missing }));
};

/** Gives a restored table the settings that DynamoDB does not restore. Each is set only where it is missing. */
const configure = async (dependencies: RestoreDependencies, { table, source, target }: TableRestore): Promise<void> => {
  const {
    clients: { dynamodb },
  } = dependencies;
  const from = (await findTable(dynamodb, source))!;
  const update = async (change: Omit<UpdateTableCommandInput, 'TableName'>): Promise<void> => {
    await dynamodb.send(new UpdateTableCommand({ TableName: target, ...change }));
    await waitUntilActive(dependencies, target);
  };
  const restored = await waitUntilActive(dependencies, target);
  await tag(dependencies, from, restored);
  await enableRecovery(dependencies, target);
  await enableTimeToLive(dependencies, target);
  if (storedTables[table].hasStream && !restored.StreamSpecification?.StreamEnabled) {
    await update({ StreamSpecification: { StreamEnabled: true, StreamViewType: streamViewType } });
  }
  if (from.DeletionProtectionEnabled && !restored.DeletionProtectionEnabled) await update({ DeletionProtectionEnabled: true });
};

/** Restores the tables into new ones, all at the same time, and gives them the settings of their sources. */
export const restoreTables = async (dependencies: RestoreDependencies, tables: readonly TableRestore[]): Promise<void> => {
  for (const table of tables) await begin(dependencies, table);
  await Promise.all(tables.map(({ target }) => waitUntilActive(dependencies, target)));
  for (const table of tables) await configure(dependencies, table);
};
