import { paginateListUsers } from '@aws-sdk/client-cognito-identity-provider';
import { directoryPartitions } from '../../../../contract/deployment/keys.ts';
import type { RestoreDependencies } from '../restore-clients.ts';
import type { RestorePlan } from '../restore-plan.ts';
import { readPartition, type RawItem } from './table-items.ts';

/** The work that the restore of the directory leaves to people. */
export type OpenWork = {
  /** Users of the restored directory whose sign-in Cognito does not have any more. */
  readonly withoutSignIn: readonly string[];
  /** Sign-ins of Cognito that belong to no user of the restored directory. */
  readonly withoutUser: readonly string[];
  /** Calls after the time that erased something, which the restore brought back. */
  readonly erasures: readonly string[];
};

/** Methods that delete people or mail at their own wish. */
const erasingActions = ['users/DeleteUser', 'accounts/DeleteAccount', 'accounts/RemoveAccountNow', 'accounts/PurgeDestroyedEmails'];

/** The sign-ins of the pool: `sub` and address. */
const signIns = async ({ clients: { cognito } }: RestoreDependencies, UserPoolId: string): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  for await (const { Users = [] } of paginateListUsers({ client: cognito }, { UserPoolId })) {
    for (const { Attributes = [] } of Users) {
      const valueOf = (name: string) => Attributes.find(({ Name }) => Name === name)?.Value ?? '';
      found.set(valueOf('sub'), valueOf('email'));
    }
  }
  return found;
};

/** The months from the time until now, as the audit log names them. */
const monthsSince = (time: Date, now: Date): string[] => {
  const months: string[] = [];
  for (let at = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth())); at <= now; at = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))) {
    months.push(at.toISOString().slice(0, 'yyyy-mm'.length));
  }
  return months;
};

const textOf = (item: RawItem, name: string): string => item[name]?.S ?? '';

/** Compares the restored directory with Cognito, and finds what was erased after the time. It changes nothing. */
export const findOpenWork = async (dependencies: RestoreDependencies, { tables: { directory }, userPoolId }: RestorePlan): Promise<OpenWork> => {
  const {
    clients: { dynamodb },
    time,
    now,
  } = dependencies;
  const users = await readPartition(dynamodb, directory.target, directoryPartitions.users);
  const identities = await readPartition(dynamodb, directory.target, directoryPartitions.identities);
  const pool = await signIns(dependencies, userPoolId);
  const known = new Set(identities.map(({ sk }) => sk!.S!));
  const signedIn = new Set(identities.filter(({ sk }) => pool.has(sk!.S!)).map((item) => textOf(item, 'user_id')));
  const present = users.filter((user) => user['is_deleted']?.BOOL !== true);
  const entries = (
    await Promise.all(
      monthsSince(time, new Date(now())).map((month) => readPartition(dynamodb, directory.source, directoryPartitions.audit(month), time.toISOString())),
    )
  ).flat();
  const erasures = entries.filter((entry) => erasingActions.includes(textOf(entry, 'action')) && textOf(entry, 'status') === 'success');
  return {
    withoutSignIn: present.filter(({ sk }) => !signedIn.has(sk!.S!)).map((user) => textOf(user, 'primary_email') || user['sk']!.S!),
    withoutUser: [...pool].filter(([sub]) => !known.has(sub)).map(([, email]) => email),
    erasures: erasures.map((entry) =>
      `${textOf(entry, 'timestamp')} ${textOf(entry, 'action')} ${textOf(entry, 'entity_id')} ${textOf(entry, 'entity_name')}`.trim(),
    ),
  };
};
