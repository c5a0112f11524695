import { parseArgs } from 'node:util';
import { usageError } from './cli-error.ts';
import { deploymentFromOutputs, findDeployment, readUrl, storeDeployment, type Deployment } from './known-deployment.ts';
import { loginHelp } from './help.ts';
import { signInWithBrowser } from './browser-sign-in.ts';
import type { CliContext } from './cli-context.ts';
import { revokeAndRemoveTokens, storeTokens } from './access-token.ts';

const options = {
  outputs: { type: 'string' }, 'admin-api-url': { type: 'string' }, 'auth-url': { type: 'string' }, 'client-id': { type: 'string' }, 'no-browser': { type: 'boolean' },
} as const;

const readArguments = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw usageError((error as Error).message.split('. ')[0] ?? 'the options are wrong');
  }
};

const deploymentOf = async (values: ReturnType<typeof readArguments>, environment: CliContext['environment']): Promise<Deployment> => {
  const { outputs, 'admin-api-url': adminApiUrl, 'auth-url': authUrl, 'client-id': clientId } = values;
  if (outputs !== undefined) {
    const found = await deploymentFromOutputs(outputs);
    return { ...found, clientId: clientId ?? found.clientId };
  }
  if (adminApiUrl === undefined && authUrl === undefined && clientId === undefined) return findDeployment(environment, undefined);
  if (adminApiUrl === undefined || authUrl === undefined || clientId === undefined) throw usageError('--admin-api-url, --auth-url and --client-id go together');
  return { adminApiUrl: readUrl('--admin-api-url', adminApiUrl), authUrl: readUrl('--auth-url', authUrl), clientId };
};

/** Signs a person in and keeps their tokens and where the deployment is. */
export const login = async (args: readonly string[], world: CliContext): Promise<void> => {
  if (args.includes('--help') || args.includes('-h')) return world.print(loginHelp);
  const values = readArguments(args);
  const deployment = await deploymentOf(values, world.environment);
  const tokens = await signInWithBrowser(values['no-browser'] ? { ...world, openBrowser: () => undefined } : world, deployment);
  await storeTokens(world.environment, deployment.authUrl, deployment.clientId ?? '', tokens);
  await storeDeployment(world.environment, deployment);
  return world.printMessage(`You are signed in to ${deployment.adminApiUrl}.`);
};

/** Forgets all tokens here, and has the sign-in forget them. */
export const logout = async (args: readonly string[], world: CliContext): Promise<void> => {
  if (args.length > 0) throw usageError('logout takes no options');
  await revokeAndRemoveTokens(world);
  return world.printMessage('You are signed out.');
};
