import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { AdminApiError, type AdminClient } from '../../contract/client.ts';
import { adminClient } from '../admin/admin-client.ts';
import { findAccount } from '../admin/references.ts';
import { digestOf } from '../jmap/jmap-client.ts';
import { readJsonFile, stateFile, writeConfigFile } from '../sign-in/config-files.ts';
import { withFileLock } from '../sign-in/file-lock.ts';
import { findDeployment } from '../sign-in/known-deployment.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { usageError } from '../terminal/cli-error.ts';
import { isAlive, processStart } from './process-start.ts';

/** A membership of the headless client that an import has made, and has to take away. */
const Membership = z.object({
  admin_api_url: z.string(),
  account_id: z.string(),
  client_id: z.string(),
  pid: z.int(),
  /** When the process of the import began. Absent where the system does not tell. */
  process_start: z.string().optional(),
});
type Membership = z.output<typeof Membership>;

const folderOf = (environment: CliContext['environment']): string => stateFile(environment, 'memberships');

/** Milliseconds after which a membership is taken away in any case. */
const longestImport = 24 * 3_600_000;

/** Whether the import of a membership runs. Another process may have the id of a killed one. */
const isRunning = async ({ pid, process_start }: Membership, record: string, now: number): Promise<boolean> => {
  const { mtimeMs } = await stat(record);
  if (now - mtimeMs >= longestImport) return false;
  return process_start === undefined ? isAlive(pid) : process_start === (await processStart(pid));
};

/** Takes a membership away, which may be gone already, and then its record. */
const end = async (admin: AdminClient, { account_id, client_id: user_id }: Membership, record: string): Promise<void> => {
  await admin.accounts.DeleteAccountMember({ account_id, user_id }).catch((error: unknown) => {
    if (!(error instanceof AdminApiError) || error.code !== 'not_found') throw error;
  });
  await rm(record, { force: true });
};

/** Takes away the memberships of imports that were killed. */
const endLeftMemberships = async (admin: AdminClient, adminApiUrl: string, { environment, now }: Pick<CliContext, 'environment' | 'now'>): Promise<void> => {
  const names = await readdir(folderOf(environment)).catch(() => []);
  for (const name of names.filter((each) => each.endsWith('.json'))) {
    const record = join(folderOf(environment), name);
    const membership = Membership.safeParse(await readJsonFile(record).catch(() => undefined)).data;
    // An import that ends meanwhile removes its record.
    if (membership?.admin_api_url === adminApiUrl && !(await isRunning(membership, record, now()).catch(() => true))) await end(admin, membership, record);
  }
};

/**
 * Makes the headless client of the environment a member of an account, with the sign-in of the admin, while the work runs.
 * A membership that was there before stays. One that a killed run left is taken away by the next run for any account.
 * @param wanted the account: an address, a name or an id.
 * @throws CliError without a headless client, an account or an admin's sign-in.
 */
export const asMember = async <T>(
  context: CliContext,
  { outputs, account: wanted }: { readonly outputs?: string | undefined; readonly account?: string | undefined },
  work: (accountId: string) => Promise<T>,
): Promise<T> => {
  const { POSTRIDER_CLIENT_ID: clientId, POSTRIDER_CLIENT_SECRET: secret, ...environment } = context.environment;
  if (!clientId || !secret) {
    throw usageError('--as-admin needs a headless client that may read and write mail: set POSTRIDER_CLIENT_ID and POSTRIDER_CLIENT_SECRET');
  }
  if (wanted === undefined) throw usageError('--as-admin needs --account: an address, a name or an id');
  const deployment = await findDeployment(environment, outputs);
  const { adminApiUrl } = deployment;
  const admin = adminClient({ ...context, environment }, deployment);
  await endLeftMemberships(admin, adminApiUrl, { environment, now: context.now });
  const { account_id } = await findAccount(admin, wanted);
  const membership: Membership = {
    admin_api_url: adminApiUrl,
    account_id,
    client_id: clientId,
    pid: process.pid,
    process_start: await processStart(process.pid),
  };
  const record = join(folderOf(environment), `${digestOf(`${adminApiUrl} ${account_id} ${clientId}`)}.json`);
  return withFileLock(record, async () => {
    const { members } = await admin.accounts.ListAccountMembers({ account_id });
    if (members.some(({ user_id: id }) => id === clientId)) return work(account_id);
    await writeConfigFile(record, membership);
    try {
      await admin.accounts.PutAccountMember({ account_id, user_id: clientId, role: 'WRITE' });
      return await work(account_id);
    } finally {
      await end(admin, membership, record);
    }
  });
};
