import { DeleteUserPoolClientCommand, paginateListUserPoolClients } from '@aws-sdk/client-cognito-identity-provider';
import { DeleteItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { directoryPartitions } from '../../../../contract/deployment/keys.ts';
import { registeredClientName } from '../../../../contract/oauth/registration.ts';
import { isAwsError, type RestoreDependencies } from '../restore-clients.ts';
import type { RestorePlan } from '../restore-plan.ts';
import { readPartition, type RawItem } from './table-items.ts';

const { registeredClients, clientRegistrations } = directoryPartitions;

const byClientId = (records: readonly RawItem[]): ReadonlyMap<string, RawItem> => new Map(records.map((record) => [record['sk']!.S!, record]));

/** The app clients of the pool that registered themselves. */
const registeredIn = async ({ clients: { cognito } }: RestoreDependencies, UserPoolId: string): Promise<string[]> => {
  const found: string[] = [];
  for await (const { UserPoolClients = [] } of paginateListUserPoolClients({ client: cognito }, { UserPoolId, MaxResults: 60 })) {
    found.push(...UserPoolClients.filter(({ ClientName = '' }) => registeredClientName.pattern.test(ClientName)).map(({ ClientId }) => ClientId!));
  }
  return found;
};

const remove = async ({ clients: { cognito } }: RestoreDependencies, UserPoolId: string, ClientId: string): Promise<void> => {
  try {
    await cognito.send(new DeleteUserPoolClientCommand({ UserPoolId, ClientId }));
  } catch (error) {
    if (!isAwsError(error, 'ResourceNotFoundException')) throw error;
  }
};

/** Forgets a registration, so that its program gets a new app client when it registers again. */
const forget = async ({ clients: { dynamodb } }: RestoreDependencies, TableName: string, { pk, sk, fingerprint }: RawItem): Promise<void> => {
  const record = { TableName, Key: { pk: pk!, sk: sk! } };
  try {
    await dynamodb.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          { Delete: record },
          {
            Delete: {
              TableName,
              Key: { pk: { S: clientRegistrations }, sk: fingerprint! },
              ConditionExpression: 'client_id = :id',
              ExpressionAttributeValues: { ':id': sk! },
            },
          },
        ],
      }),
    );
  } catch (error) {
    if (!isAwsError(error, 'TransactionCanceledException')) throw error;
    // The fingerprint belongs to another app client, or to nobody.
    await dynamodb.send(new DeleteItemCommand(record));
  }
};

/**
 * Makes Cognito and the restored directory agree about the mail programs that registered themselves: before the switch,
 * it deletes app clients that the directory does not record, and forgets registrations whose app client is gone. It
 * touches no other app client of the pool.
 * @param isDone whether the services use the restored directory already, or are to keep the old one. Then nothing changes.
 * @returns the programs that have to register again.
 */
export const reconcileRegistrations = async (
  dependencies: RestoreDependencies,
  { tables: { directory }, userPoolId }: RestorePlan,
  isDone: boolean,
): Promise<string[]> => {
  const {
    clients: { dynamodb },
  } = dependencies;
  const recordsIn = async (table: string) => byClientId(await readPartition(dynamodb, table, registeredClients));
  const [before, restored] = [await recordsIn(directory.source), await recordsIn(directory.target)];
  const existing = await registeredIn(dependencies, userPoolId);
  const unrecorded = existing.filter((clientId) => !restored.has(clientId));
  if (!isDone) {
    for (const clientId of unrecorded) await remove(dependencies, userPoolId, clientId);
    for (const [clientId, record] of restored) if (!existing.includes(clientId)) await forget(dependencies, directory.target, record);
  }
  const lost = new Set([...before.keys(), ...unrecorded].filter((clientId) => !restored.has(clientId)));
  return [...lost].map((clientId) => `${before.get(clientId)?.['client_name']?.S ?? ''} ${clientId}`.trim());
};
