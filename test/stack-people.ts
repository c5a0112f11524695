import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { accessToken } from '../cli/sign-in/access-token.ts';
import type { Domain } from '../contract/admin/domains.ts';
import type { User } from '../contract/admin/users.ts';
import { AdminApiError, adminApiClient, listAll, type AdminApiClient } from '../sandbox/clients/admin-api-client.ts';
import { clientToken } from '../sandbox/deployment/client-credentials.ts';
import { requiredOutput, stackClientsFromOutputs, stackWithOutputs, type StackClients } from '../sandbox/deployment/sandbox-stack.ts';
import { ensureUsers, userDefinitions } from '../sandbox/deployment/sandbox-users.ts';
import type { SandboxDescription, SandboxUser } from '../sandbox/state/sandbox-description.ts';
import type { Removal } from './integration/created.ts';
import type { Deployed } from './integration/deployment.ts';
import { enrolSecondFactor } from './support/srp-sign-in.ts';

/**
 * The input of the integration tests: a file that describes the deployment, and a function that removes what was
 * created for them.
 */
type DescribedStack = {
  readonly file: string;
  readonly isSandbox: boolean;
  readonly region: string;
  /** Whether an admin's token was found, so that there are people. */
  readonly hasPeople: boolean;
  /** Describes the stack again after a deployment, with the same people. */
  describeAgain(): Promise<void>;
  /** Removes the people, and what the tests have recorded as created. */
  remove(): Promise<void>;
};

type Options = { readonly adminToken?: string | undefined; readonly signal: AbortSignal; readonly say: (line: string) => void };

type People = { readonly users: readonly SandboxUser[]; remove(): Promise<void> };

/** Removes what was created, and continues after a failure, because remaining objects do not affect a later run. */
const removeAll = async (steps: readonly (() => Promise<unknown>)[], say: (line: string) => void): Promise<void> => {
  for (const step of steps) {
    await step().catch((error: unknown) => {
      if (!(error instanceof AdminApiError && error.code === 'not_found')) say(`Not removed: ${(error as Error).message}`);
    });
  }
};

type Target = { readonly region: string; readonly userPoolId: string; readonly clientId: string };

/**
 * Creates an admin and two users with mail accounts, at a separate domain. Their passwords are known to this run, and so
 * are the secrets of their authenticator apps where the user pool requires them.
 */
const makePeople = async (admin: AdminApiClient, { region, userPoolId, clientId }: Target, { say }: Options): Promise<People> => {
  const name = `test-${randomBytes(4).toString('hex')}.example`;
  say(`Making ${userDefinitions.map(({ localPart }) => localPart).join(', ')} at ${name} …`);
  const { domain } = await admin<{ domain: Domain }>('domains/AddDomain', { domain: name, receive_enabled: true });
  const { user } = await admin<{ user: User }>('users/CreateUser', { email: `admin@${name}`, display_name: 'Admin' });
  await admin('users/UpdateUser', { user_id: user.user_id, is_admin: true });
  const users = await ensureUsers(
    { admin, aws: { region }, userPoolId, domain: { id: domain.id, domain: name }, passwordOf: () => `Aa1-${randomBytes(18).toString('base64url')}` },
    () => undefined,
  );
  const cognito = new CognitoIdentityProviderClient({ region });
  const withAuthenticators: SandboxUser[] = [];
  for (const each of users) withAuthenticators.push({ ...each, authenticator: await enrolSecondFactor(cognito, userPoolId, clientId, each) });
  cognito.destroy();
  return {
    users: withAuthenticators,
    remove: () =>
      removeAll(
        [
          ...users.flatMap(({ accountId }) => (accountId ? [() => admin('accounts/DeleteAccount', { account_id: accountId })] : [])),
          ...users.map(
            ({ userId }) =>
              () =>
                admin('users/DeleteUser', { user_id: userId }),
          ),
          () => admin('domains/RemoveDomain', { id: domain.id }),
        ],
        say,
      ),
  };
};

/** Removes what the tests have recorded as created, newest first. */
const removeCreated = async (admin: AdminApiClient, file: string, say: (line: string) => void): Promise<void> => {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  await removeAll(
    lines
      .map((line) => JSON.parse(line) as Removal)
      .toReversed()
      .map(
        ({ method, request }) =>
          () =>
            admin(method, request),
      ),
    say,
  );
};

/** Whether SES sends from the deployment's own domain, and receives mail for it. */
const findPrimaryDomain = async (admin: AdminApiClient): Promise<Deployed['primaryDomain']> => {
  const primary = (await listAll<Domain>(admin, 'domains/ListDomains', 'domains')).find(({ is_primary: isPrimary }) => isPrimary);
  if (!primary) return undefined;
  const { domain } = await admin<{ domain: Domain }>('domains/GetDomain', { id: primary.id, include_dns_validation: true });
  const isSending = domain.send_enabled && domain.verification_status === 'SUCCESS' && domain.dkim_status === 'SUCCESS';
  return { isSending, isReceiving: isSending && domain.receive_enabled && domain.dns_validation?.mx_record?.valid === true };
};

/** A token of the headless client AdminHeadless, or of the person who is signed in by `postrider-admin`. */
const findAdminToken = async ({ adminHeadless, cli }: StackClients, region: string, authUrl: string): Promise<string | undefined> => {
  if (adminHeadless) return (await clientToken(adminHeadless, 'adminApi/ADMIN', { region, authUrl })).access_token;
  return accessToken({ environment: process.env, fetch, now: Date.now }, { authUrl, clientId: cli.clientId }).catch(() => undefined);
};

/**
 * Describes a stack on AWS for the integration tests, from the file that `cdk deploy --outputs-file` wrote. If an admin's
 * token is found, and AWS credentials that may set passwords, it creates people first. A sandbox.json is returned
 * unchanged.
 */
export const describeStack = async (file: string, options: Options): Promise<DescribedStack> => {
  const content = JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, string>>;
  if ('outputs' in content && 'users' in content) {
    const done = async (): Promise<void> => undefined;
    return { file, isSandbox: true, region: (content as unknown as SandboxDescription).region, hasPeople: true, describeAgain: done, remove: done };
  }
  const directory = await mkdtemp(join(tmpdir(), 'postrider-stack-'));
  const [described, createdFile] = ['stack.json', 'created'].map((name) => join(directory, name)) as [string, string];
  const readStack = async () => {
    const { stackName, outputs } = stackWithOutputs(JSON.parse(await readFile(file, 'utf8')) as typeof content);
    const clients = stackClientsFromOutputs(outputs);
    const [region, authUrl] = [requiredOutput(outputs, 'region'), requiredOutput(outputs, 'authUrl')];
    const token = options.adminToken ?? (await findAdminToken(clients, region, authUrl));
    const admin = token === undefined ? undefined : adminApiClient(requiredOutput(outputs, 'adminApiUrl'), token, options.signal);
    const target: Target = { region, userPoolId: requiredOutput(outputs, 'userPoolId'), clientId: clients.cli.clientId };
    return { stackName, outputs, clients, region, authUrl, token, admin, target };
  };
  const { admin, region, target } = await readStack();
  if (!admin) {
    options.say('There are no people: sign in by npx postrider-admin login --outputs FILE, deploy the headless client AdminHeadless, or pass --admin-token.');
  }
  const people: People = admin ? await makePeople(admin, target, options) : { users: [], remove: async () => undefined };
  const describeAgain = async (): Promise<void> => {
    const { admin: current, token, target: _target, ...stack } = await readStack();
    const { adminApiUrl, jmapUrl, webSocketUrl } = stack.outputs;
    await writeFile(
      described,
      JSON.stringify({
        ...stack,
        adminApiUrl,
        jmapUrl,
        webSocketUrl,
        users: people.users,
        adminToken: token,
        createdFile,
        primaryDomain: current && (await findPrimaryDomain(current)),
      }),
      { mode: 0o600 },
    );
  };
  await describeAgain();
  return {
    file: described,
    isSandbox: false,
    region,
    hasPeople: people.users.length > 0,
    describeAgain,
    async remove() {
      if (admin) await removeCreated(admin, createdFile, options.say);
      await people.remove();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
