import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { scopes } from '../contract/oauth.ts';
import { CliError, signInError } from './cli-error.ts';
import type { Deployment } from './known-deployment.ts';
import { ownFile, readJsonFile, writeOwnFile } from './config-files.ts';
import type { Surroundings } from './cli-context.ts';
import { askForTokens, Tokens } from './token-endpoint.ts';
import { inTurn } from './file-lock.ts';

type World = Pick<Surroundings, 'environment' | 'fetch' | 'now'>;

/** A token that ends this soon is taken for ended: a call takes its time. */
const margin = 60_000;

const Kept = z.record(z.string(), Tokens);

const keyOf = (authUrl: string, clientId: string): string => `${authUrl} ${clientId}`;

const tokensFile = (environment: Surroundings['environment']): string => ownFile(environment, 'tokens.json');

const keptTokens = async (environment: Surroundings['environment']): Promise<z.output<typeof Kept>> =>
  Kept.safeParse(await readJsonFile(tokensFile(environment)).catch(() => undefined)).data ?? {};

/** Puts tokens beside those that are there; only in a turn, since who writes at the same time would be undone. */
const putTokens = async (environment: Surroundings['environment'], key: string, tokens: Tokens): Promise<void> =>
  writeOwnFile(tokensFile(environment), { ...await keptTokens(environment), [key]: tokens });

/** Keeps tokens for the calls that follow, in a file that only its owner reads. */
export const keepTokens = (environment: Surroundings['environment'], authUrl: string, clientId: string, tokens: Tokens): Promise<void> =>
  inTurn(tokensFile(environment), () => putTokens(environment, keyOf(authUrl, clientId), tokens));

/** Forgets every token, and tells the sign-in that the refresh tokens are not to be taken any more (RFC 7009). */
export const forgetTokens = async ({ environment, fetch: send }: Pick<Surroundings, 'environment' | 'fetch'>): Promise<void> => {
  const kept = await inTurn(tokensFile(environment), async () => {
    const tokens = await keptTokens(environment);
    await rm(tokensFile(environment), { force: true });
    return tokens;
  });
  await Promise.all(Object.entries(kept).map(async ([key, { refresh_token: token }]) => {
    const [authUrl = '', clientId = ''] = key.split(' ');
    if (token) await send(`${authUrl}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token, client_id: clientId }), signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  }));
};

/** Whether the access token is good for another call. */
const isGood = (world: World, tokens: Tokens): boolean => tokens.expires_at - margin > world.now();

const headlessToken = async (world: World, { authUrl }: Deployment, clientId: string, clientSecret: string): Promise<string> => {
  const kept = (await keptTokens(world.environment))[keyOf(authUrl, clientId)];
  if (kept && isGood(world, kept)) return kept.access_token;
  const tokens = await askForTokens(world, authUrl, { grant_type: 'client_credentials', scope: scopes.ADMIN }, { clientId, clientSecret });
  await keepTokens(world.environment, authUrl, clientId, tokens);
  return tokens.access_token;
};

const refreshed = async (world: World, authUrl: string, clientId: string, token: string): Promise<Tokens> => {
  const tokens = await askForTokens(world, authUrl, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token })
    .catch((error: unknown) => { throw error instanceof CliError ? signInError(`${error.message}. Sign in again: postrider-admin login`) : error; });
  return { ...tokens, refresh_token: tokens.refresh_token ?? token };
};

const nobodyIsSignedIn = (): CliError => signInError('nobody is signed in here. Sign in first: postrider-admin login');

/** A refresh token is good once (RFC 9700 §4.14.2): one process asks, keeps the next one before it does anything else, and the others find what it got. */
const personsToken = (world: World, authUrl: string, clientId: string): Promise<string> => inTurn(tokensFile(world.environment), async () => {
  const kept = (await keptTokens(world.environment))[keyOf(authUrl, clientId)];
  if (!kept) throw nobodyIsSignedIn();
  if (isGood(world, kept)) return kept.access_token;
  if (!kept.refresh_token) throw signInError('the sign-in is over. Sign in again: postrider-admin login');
  const tokens = await refreshed(world, authUrl, clientId, kept.refresh_token);
  await putTokens(world.environment, keyOf(authUrl, clientId), tokens);
  return tokens.access_token;
});

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
  if (!kept) throw nobodyIsSignedIn();
  return isGood(world, kept) ? kept.access_token : personsToken(world, authUrl, clientId);
};
