import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { scopes } from '../contract/oauth.ts';
import { CliError, signInError } from './cli-error.ts';
import type { Deployment } from './known-deployment.ts';
import { configFile, readJsonFile, writeConfigFile } from './config-files.ts';
import type { CliContext } from './cli-context.ts';
import { requestTokens, Tokens } from './token-endpoint.ts';
import { withFileLock } from './file-lock.ts';

type TokenContext = Pick<CliContext, 'environment' | 'fetch' | 'now'>;

/** A token that ends this soon is taken for ended: a call takes its time. */
const expiryMargin = 60_000;

const StoredTokens = z.record(z.string(), Tokens);

const keyOf = (authUrl: string, clientId: string): string => `${authUrl} ${clientId}`;

const tokensFile = (environment: CliContext['environment']): string => configFile(environment, 'tokens.json');

const readTokens = async (environment: CliContext['environment']): Promise<z.output<typeof StoredTokens>> =>
  StoredTokens.safeParse(await readJsonFile(tokensFile(environment)).catch(() => undefined)).data ?? {};

/** Puts tokens beside those that are there; only in a turn, since who writes at the same time would be undone. */
const putTokens = async (environment: CliContext['environment'], key: string, tokens: Tokens): Promise<void> =>
  writeConfigFile(tokensFile(environment), { ...await readTokens(environment), [key]: tokens });

/** Keeps tokens for the calls that follow, in a file that only its owner reads. */
export const storeTokens = (environment: CliContext['environment'], authUrl: string, clientId: string, tokens: Tokens): Promise<void> =>
  withFileLock(tokensFile(environment), () => putTokens(environment, keyOf(authUrl, clientId), tokens));

/** Forgets every token, and tells the sign-in that the refresh tokens are not to be taken any more (RFC 7009). */
export const revokeAndRemoveTokens = async ({ environment, fetch: send }: Pick<CliContext, 'environment' | 'fetch'>): Promise<void> => {
  const kept = await withFileLock(tokensFile(environment), async () => {
    const tokens = await readTokens(environment);
    await rm(tokensFile(environment), { force: true });
    return tokens;
  });
  await Promise.all(Object.entries(kept).map(async ([key, { refresh_token: token }]) => {
    const [authUrl = '', clientId = ''] = key.split(' ');
    if (token) await send(`${authUrl}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token, client_id: clientId }), signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  }));
};

/** Whether the access token is good for another call. */
const isUsable = (world: TokenContext, tokens: Tokens): boolean => tokens.expires_at - expiryMargin > world.now();

const headlessToken = async (world: TokenContext, { authUrl }: Deployment, clientId: string, clientSecret: string): Promise<string> => {
  const kept = (await readTokens(world.environment))[keyOf(authUrl, clientId)];
  if (kept && isUsable(world, kept)) return kept.access_token;
  const tokens = await requestTokens(world, authUrl, { grant_type: 'client_credentials', scope: scopes.ADMIN }, { clientId, clientSecret });
  await storeTokens(world.environment, authUrl, clientId, tokens);
  return tokens.access_token;
};

const refreshed = async (world: TokenContext, authUrl: string, clientId: string, token: string): Promise<Tokens> => {
  const tokens = await requestTokens(world, authUrl, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token })
    .catch((error: unknown) => { throw error instanceof CliError ? signInError(`${error.message}. Sign in again: postrider-admin login`) : error; });
  return { ...tokens, refresh_token: tokens.refresh_token ?? token };
};

const notSignedInError = (): CliError => signInError('nobody is signed in here. Sign in first: postrider-admin login');

/** A refresh token is good once (RFC 9700 §4.14.2): one process asks, keeps the next one before it does anything else, and the others find what it got. */
const userToken = (world: TokenContext, authUrl: string, clientId: string): Promise<string> => withFileLock(tokensFile(world.environment), async () => {
  const kept = (await readTokens(world.environment))[keyOf(authUrl, clientId)];
  if (!kept) throw notSignedInError();
  if (isUsable(world, kept)) return kept.access_token;
  if (!kept.refresh_token) throw signInError('the sign-in is over. Sign in again: postrider-admin login');
  const tokens = await refreshed(world, authUrl, clientId, kept.refresh_token);
  await putTokens(world.environment, keyOf(authUrl, clientId), tokens);
  return tokens.access_token;
});

/**
 * An access token: of the headless client that POSTRIDER_CLIENT_ID and POSTRIDER_CLIENT_SECRET name, else of the person who signed in.
 * @throws CliError when nobody signed in, or the sign-in is over.
 */
export const accessToken = async (world: TokenContext, deployment: Deployment): Promise<string> => {
  const { POSTRIDER_CLIENT_ID: headlessId, POSTRIDER_CLIENT_SECRET: secret } = world.environment;
  if (headlessId && secret) return headlessToken(world, deployment, headlessId, secret);
  if (headlessId || secret) throw signInError('POSTRIDER_CLIENT_ID and POSTRIDER_CLIENT_SECRET go together; one of them is missing');
  const { authUrl, clientId = '' } = deployment;
  const kept = (await readTokens(world.environment))[keyOf(authUrl, clientId)];
  if (!kept) throw notSignedInError();
  return isUsable(world, kept) ? kept.access_token : userToken(world, authUrl, clientId);
};
