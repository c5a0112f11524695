import { directoryKeys } from '../../../contract/deployment/keys.ts';
import type { Table } from '../../storage/table.ts';

/** The app clients of the deployment itself, with which people sign in: the console and the command line. */
export type DeployedClients = {
  /** Whether the deployment recorded the client as its own. */
  has(clientId: string): Promise<boolean>;
  /** Records all clients of the deployment, in place of those recorded before. */
  record(clientIds: readonly string[]): Promise<void>;
};

const key = directoryKeys.deployedClients;

export const deployedClientsIn = (table: Pick<Table, 'get' | 'write'>): DeployedClients => ({
  has: async (clientId) => ((await table.get(key))?.['client_ids'] as readonly string[] | undefined)?.includes(clientId) === true,
  record: (clientIds) => table.write([{ put: { ...key, client_ids: clientIds } }]),
});
