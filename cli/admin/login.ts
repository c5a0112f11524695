import { AdminApiError, createAdminClient } from '../../contract/client.ts';
import { revokeAndRemoveTokens, storeTokens } from '../sign-in/access-token.ts';
import { signInWithBrowser, signOutUrl } from '../sign-in/browser-sign-in.ts';
import { deploymentFromOutputs, findDeployment, readUrl, storeDeployment, type Deployment } from '../sign-in/known-deployment.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { CliError, exitCodes, usageError } from '../terminal/cli-error.ts';
import { parseOptions } from '../terminal/parse.ts';
import { loginHelp } from './help.ts';

/** @throws CliError when the admin API refuses the user. */
const assertAdmin = async ({ fetch: send }: CliContext, { adminApiUrl, authUrl, clientId }: Deployment, token: string): Promise<void> => {
  try {
    await createAdminClient({ baseUrl: adminApiUrl, token, fetch: send }).status.Ping({});
  } catch (error) {
    if (!(error instanceof AdminApiError)) throw error;
    if (error.code === 'unauthenticated') {
      throw new CliError(
        'the new token is refused: the browser is still signed in from before your password was changed. Open this address in it, which ends with a page ' +
          `that cannot be shown, and log in again: ${signOutUrl(authUrl, clientId ?? '')}`,
        exitCodes.refused,
      );
    }
    if (error.code !== 'permission_denied') throw error;
    throw new CliError(
      'you are not an admin, so the admin API refuses every call. An admin can change that: ' +
        'postrider-admin users UpdateUser --user ADDRESS --is-admin true',
      exitCodes.refused,
    );
  }
};

const options = {
  outputs: { type: 'string' },
  'admin-api-url': { type: 'string' },
  'auth-url': { type: 'string' },
  'client-id': { type: 'string' },
  'no-browser': { type: 'boolean' },
} as const;

const readArguments = (args: readonly string[]) => parseOptions(args, options).values;

const deploymentOf = async (values: ReturnType<typeof readArguments>, environment: CliContext['environment']): Promise<Deployment> => {
  const { outputs, 'admin-api-url': adminApiUrl, 'auth-url': authUrl, 'client-id': clientId } = values;
  if (outputs !== undefined) {
    const deployment = await deploymentFromOutputs(outputs);
    return { ...deployment, clientId: clientId ?? deployment.clientId };
  }
  if (adminApiUrl === undefined && authUrl === undefined && clientId === undefined) return findDeployment(environment, undefined);
  if (adminApiUrl === undefined || authUrl === undefined || clientId === undefined) {
    throw usageError('--admin-api-url, --auth-url and --client-id must be given together');
  }
  return { adminApiUrl: readUrl('--admin-api-url', adminApiUrl), authUrl: readUrl('--auth-url', authUrl), clientId };
};

/**
 * Signs a user in and stores the tokens and the deployment.
 * @throws CliError when the sign-in fails, or the user is no admin. Then nothing is stored.
 */
export const login = async (args: readonly string[], context: CliContext): Promise<void> => {
  if (args.includes('--help') || args.includes('-h')) return context.print(loginHelp);
  const values = readArguments(args);
  const deployment = await deploymentOf(values, context.environment);
  const tokens = await signInWithBrowser(values['no-browser'] ? { ...context, openBrowser: () => undefined } : context, deployment);
  await assertAdmin(context, deployment, tokens.access_token);
  await storeTokens(context.environment, deployment.authUrl, deployment.clientId ?? '', tokens);
  await storeDeployment(context.environment, deployment);
  return context.printMessage(`You are signed in to ${deployment.adminApiUrl}.`);
};

/** Deletes all stored tokens and revokes the refresh tokens. */
export const logout = async (args: readonly string[], context: CliContext): Promise<void> => {
  if (args.length > 0) throw usageError('logout takes no options');
  await revokeAndRemoveTokens(context);
  return context.printMessage('You are signed out.');
};
