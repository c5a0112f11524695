import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Domain } from '../contract/admin/domains.ts';
import type { User } from '../contract/admin/users.ts';
import { adminApiClient, type AdminApiClient } from '../sandbox/clients/admin-api-client.ts';
import { clientToken } from '../sandbox/deployment/client-credentials.ts';
import type { SandboxUser } from '../sandbox/state/sandbox-description.ts';
import { requiredOutput, stackClientsFromOutputs, stackWithOutputs } from '../sandbox/deployment/sandbox-stack.ts';
import { enrolSecondFactor } from './support/srp-sign-in.ts';
import { ensureUsers, userDefinitions } from '../sandbox/deployment/sandbox-users.ts';

/**
 * The input of the integration tests: a file that describes the deployment, and a function that removes what was
 * created for them.
 */
type DescribedStack = { readonly file: string; remove(): Promise<void> };

type Options = { readonly adminToken?: string; readonly signal: AbortSignal; readonly say: (line: string) => void };

type People = { readonly users: readonly SandboxUser[]; remove(): Promise<void> };

/** Removes what was created, and continues after a failure, because remaining objects do not affect a later run. */
const removeAll = async (steps: readonly (() => Promise<unknown>)[], say: (line: string) => void): Promise<void> => {
  for (const step of steps) await step().catch((error: unknown) => say(`Not removed: ${(error as Error).message}`));
};

/**
 * Creates an admin and two users with mail accounts, at a separate domain. Their passwords are known to this run, and so
 * are the secrets of their authenticator apps where the user pool requires them.
 */
const makePeople = async (
  admin: AdminApiClient, { region, userPoolId, clientId }: { region: string; userPoolId: string; clientId: string }, { say }: Options,
): Promise<People> => {
  const name = `test-${randomBytes(4).toString('hex')}.example`;
  say(`Making ${userDefinitions.map(({ localPart }) => localPart).join(', ')} at ${name} …`);
  const { domain } = await admin<{ domain: Domain }>('domains/AddDomain', { domain: name, receive_enabled: true });
  const { user } = await admin<{ user: User }>('users/CreateUser', { email: `admin@${name}`, display_name: 'Admin' });
  await admin('users/UpdateUser', { user_id: user.user_id, is_admin: true });
  const users = await ensureUsers({
    admin, aws: { region }, userPoolId, domain: { id: domain.id, domain: name },
    passwordOf: () => `Aa1-${randomBytes(18).toString('base64url')}`,
  }, () => undefined);
  const cognito = new CognitoIdentityProviderClient({ region });
  const withAuthenticators: SandboxUser[] = [];
  for (const each of users) withAuthenticators.push({ ...each, authenticator: await enrolSecondFactor(cognito, userPoolId, clientId, each) });
  cognito.destroy();
  return {
    users: withAuthenticators,
    remove: () => removeAll([
      ...users.flatMap(({ accountId }) => (accountId ? [() => admin('accounts/DeleteAccount', { account_id: accountId })] : [])),
      ...users.map(({ userId }) => () => admin('users/DeleteUser', { user_id: userId })),
    ], say),
  };
};

/**
 * Describes a stack on AWS for the integration tests, from the file that `cdk deploy --outputs-file` wrote. If it has
 * the headless client AdminHeadless or an admin's token, and AWS credentials that may set passwords, it creates people
 * first. A sandbox.json is returned unchanged.
 */
export const describeStack = async (file: string, options: Options): Promise<DescribedStack> => {
  const content = JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, string>>;
  if ('outputs' in content && 'users' in content) return { file, remove: async () => undefined };
  const { stackName, outputs } = stackWithOutputs(content);
  const clients = stackClientsFromOutputs(outputs);
  const [region, authUrl] = [requiredOutput(outputs, 'region'), requiredOutput(outputs, 'authUrl')];
  const { adminHeadless } = clients;
  const token = options.adminToken
    ?? (adminHeadless && (await clientToken(adminHeadless, 'adminApi/ADMIN', { region, authUrl })).access_token);
  const none: People = { users: [], remove: async () => undefined };
  if (!token) options.say('There are no people: deploy the headless client AdminHeadless, or pass --admin-token.');
  const people = token
    ? await makePeople(
        adminApiClient(requiredOutput(outputs, 'adminApiUrl'), token, options.signal),
        { region, userPoolId: requiredOutput(outputs, 'userPoolId'), clientId: clients.cli.clientId }, options,
      )
    : none;
  const directory = await mkdtemp(join(tmpdir(), 'postrider-stack-'));
  const described = join(directory, 'stack.json');
  const { adminApiUrl, jmapUrl, webSocketUrl } = outputs;
  await writeFile(described, JSON.stringify({
    outputs, adminApiUrl, jmapUrl, webSocketUrl, authUrl, region, stackName, clients, users: people.users, adminToken: options.adminToken,
  }), { mode: 0o600 });
  return {
    file: described,
    async remove() {
      await people.remove();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
