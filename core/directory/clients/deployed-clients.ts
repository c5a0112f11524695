import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { itemOf, rowOf, type Table } from '../../storage/table.ts';

/** The app clients of the deployment itself, with which people sign in: the console and the command line. */
export type DeployedClients = {
  /** Whether the deployment recorded the client as its own. */
  has(clientId: string): Promise<boolean>;
  /** Records all clients of the deployment, in place of those recorded before. */
  record(clientIds: readonly string[]): Promise<void>;
};

const key = directoryKeys.deployedClients;

type ClientsRow = { readonly client_ids: readonly string[] };

export const deployedClientsIn = (table: Pick<Table, 'get' | 'write'>): DeployedClients => ({
  async has(clientId) {
    const item = await table.get(key);
    return item !== undefined && rowOf<ClientsRow>(item).client_ids.includes(clientId);
  },
  record: (clientIds) => table.write([{ put: itemOf(key, { client_ids: clientIds } satisfies ClientsRow) }]),
});
