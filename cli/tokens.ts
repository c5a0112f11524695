import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { scopes } from '../contract/oauth.ts';
import { CliError, signInError } from './cli-error.ts';
import type { Deployment } from './deployment.ts';
import { ownFile, readJsonFile, writeOwnFile } from './own-files.ts';
import type { Surroundings } from './surroundings.ts';
import { askForTokens, Tokens } from './token-endpoint.ts';

type World = Pick<Surroundings, 'environment' | 'fetch' | 'now'>;

/** A token that ends this soon is taken for ended: a call takes its time. */
const margin = 60_000;

const Kept = z.record(z.string(), Tokens);

const keyOf = (authUrl: string, clientId: string): string => `${authUrl} ${clientId}`;

const keptTokens = async (environment: Surroundings['environment']): Promise<z.output<typeof Kept>> =>
  Kept.safeParse(await readJsonFile(ownFile(environment, 'tokens.json')).catch(() => undefined)).data ?? {};

/** Keeps tokens for the calls that follow, in a file that only its owner reads. */
export const keepTokens = async (environment: Surroundings['environment'], authUrl: string, clientId: string, tokens: Tokens): Promise<void> =>
  writeOwnFile(ownFile(environment, 'tokens.json'), { ...await keptTokens(environment), [keyOf(authUrl, clientId)]: tokens });

/** Forgets every token, and tells the sign-in that the refresh tokens are not to be taken any more (RFC 7009). */
export const forgetTokens = async ({ environment, fetch: send }: Pick<Surroundings, 'environment' | 'fetch'>): Promise<void> => {
  const kept = await keptTokens(environment);
  await rm(ownFile(environment, 'tokens.json'), { force: true });
  await Promise.all(Object.entries(kept).map(async ([key, { refresh_token: token }]) => {
    const [authUrl = '', clientId = ''] = key.split(' ');
    if (token) await send(`${authUrl}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token, client_id: clientId }), signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  }));
};

const headlessToken = async (world: World, { authUrl }: Deployment, clientId: string, clientSecret: string): Promise<string> => {
  const kept = (await keptTokens(world.environment))[keyOf(authUrl, clientId)];
  if (kept && kept.expires_at - margin > world.now()) return kept.access_token;
  const tokens = await askForTokens(world, authUrl, { grant_type: 'client_credentials', scope: scopes.ADMIN }, { clientId, clientSecret });
  await keepTokens(world.environment, authUrl, clientId, tokens);
  return tokens.access_token;
};

const refreshed = async (world: World, authUrl: string, clientId: string, token: string): Promise<Tokens> => {
  const tokens = await askForTokens(world, authUrl, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token })
    .catch((error: unknown) => { throw error instanceof CliError ? signInError(`${error.message}. Sign in again: postrider-admin login`) : error; });
  return { ...tokens, refresh_token: tokens.refresh_token ?? token };
};

/**
 * An access token: of the headless client that POSTRIDER_CLIENT_ID and POSTRIDER_CLIENT_SECRET name, else of the person who signed in.
 * @throws CliError when nobody signed in, or the sign-in is over.
 */
export const accessToken = async (world: World, deployment: Deployment): Promise<string> => {
  const { POSTRIDER_CLIENT_ID: headlessId, POSTRIDER_CLIENT_SECRET: secret } = world.environment;
  if (headlessId && secret) return headlessToken(world, deployment, headlessId, secret);
  if (headlessId || secret) throw signInError('POSTRIDER_CLIENT_ID and POSTRIDER_CLIENT_SECRET go together; one of them is missing');
  const { authUrl, clientId = '' } = deployment;
  const kept = (await keptTokens(world.environment))[keyOf(authUrl, clientId)];
  if (!kept) throw signInError('nobody is signed in here. Sign in first: postrider-admin login');
  if (kept.expires_at - margin > world.now()) return kept.access_token;
  if (!kept.refresh_token) throw signInError('the sign-in is over. Sign in again: postrider-admin login');
  const tokens = await refreshed(world, authUrl, clientId, kept.refresh_token);
  await keepTokens(world.environment, authUrl, clientId, tokens);
  return tokens.access_token;
};
