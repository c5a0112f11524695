import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { scopes } from '../../contract/oauth/oauth.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { CliError, signInError } from '../terminal/cli-error.ts';
import { configFile, readJsonFile, writeConfigFile } from './config-files.ts';
import { withFileLock } from './file-lock.ts';
import type { Deployment } from './known-deployment.ts';
import { requestTokens, Tokens } from './token-endpoint.ts';

type TokenContext = Pick<CliContext, 'environment' | 'fetch' | 'now'>;

/** The access for which a command line needs a token. */
export type Access = {
  /** The scopes that a headless client requests, separated by spaces. */
  readonly scope: string;
  /** The command by which a person signs in. */
  readonly login: string;
};

const adminAccess: Access = { scope: scopes.ADMIN, login: 'postrider-admin login' };

/** The URL of the sign-in, and the OAuth client for users. */
type SignIn = Pick<Deployment, 'authUrl' | 'clientId'>;

/** Milliseconds before its expiry from which a token is treated as expired, because a call takes time. */
const expiryMargin = 60_000;

const StoredTokens = z.record(z.string(), Tokens);

const keyOf = (authUrl: string, clientId: string): string => `${authUrl} ${clientId}`;

const tokensFile = (environment: CliContext['environment']): string => configFile(environment, 'tokens.json');

const readTokens = async (environment: CliContext['environment']): Promise<z.output<typeof StoredTokens>> =>
  StoredTokens.safeParse(await readJsonFile(tokensFile(environment)).catch(() => undefined)).data ?? {};

/** Adds tokens to the file. The caller must hold the lock, so that no concurrent change is lost. */
const putTokens = async (environment: CliContext['environment'], key: string, tokens: Tokens): Promise<void> =>
  writeConfigFile(tokensFile(environment), { ...(await readTokens(environment)), [key]: tokens });

/** Stores tokens for later calls, in a file that only its owner can read. */
export const storeTokens = (environment: CliContext['environment'], authUrl: string, clientId: string, tokens: Tokens): Promise<void> =>
  withFileLock(tokensFile(environment), () => putTokens(environment, keyOf(authUrl, clientId), tokens));

/** Deletes all stored tokens and revokes the refresh tokens (RFC 7009). */
export const revokeAndRemoveTokens = async ({ environment, fetch: send }: Pick<CliContext, 'environment' | 'fetch'>): Promise<void> => {
  const removed = await withFileLock(tokensFile(environment), async () => {
    const tokens = await readTokens(environment);
    await rm(tokensFile(environment), { force: true });
    return tokens;
  });
  await Promise.all(
    Object.entries(removed).map(async ([key, { refresh_token: token }]) => {
      const [authUrl = '', clientId = ''] = key.split(' ');
      if (token) {
        await send(`${authUrl}/oauth2/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ token, client_id: clientId }),
          signal: AbortSignal.timeout(10_000),
        }).catch(() => undefined);
      }
    }),
  );
};

/** Whether the access token is valid for long enough to make a call. */
const isUsable = (context: TokenContext, tokens: Tokens): boolean => tokens.expires_at - expiryMargin > context.now();

const headlessToken = async (
  context: TokenContext,
  authUrl: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  scope: string,
): Promise<string> => {
  // Tokens of one client with other scopes have a name of their own.
  const name = scope === scopes.ADMIN ? clientId : `${clientId} ${scope}`;
  const stored = (await readTokens(context.environment))[keyOf(authUrl, name)];
  if (stored && isUsable(context, stored)) return stored.access_token;
  const tokens = await requestTokens(context, authUrl, { grant_type: 'client_credentials', scope }, { clientId, clientSecret });
  await storeTokens(context.environment, authUrl, name, tokens);
  return tokens.access_token;
};

const refreshed = async (
  context: TokenContext,
  authUrl: string,
  form: { readonly clientId: string; readonly token: string },
  { login }: Access,
): Promise<Tokens> => {
  const { clientId, token } = form;
  const tokens = await requestTokens(context, authUrl, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token }).catch((error: unknown) => {
    throw error instanceof CliError ? signInError(`${error.message}. Sign in again: ${login}`) : error;
  });
  return { ...tokens, refresh_token: tokens.refresh_token ?? token };
};

const notSignedInError = ({ login }: Access): CliError => signInError(`you are not signed in. Sign in first: ${login}`);

/**
 * A user's access token. A refresh token is valid only once (RFC 9700 §4.14.2). Therefore only one process at a time
 * refreshes tokens and stores them; other processes read the stored ones.
 */
const userToken = (context: TokenContext, authUrl: string, clientId: string, access: Access): Promise<string> =>
  withFileLock(tokensFile(context.environment), async () => {
    const stored = (await readTokens(context.environment))[keyOf(authUrl, clientId)];
    if (!stored) throw notSignedInError(access);
    if (isUsable(context, stored)) return stored.access_token;
    if (!stored.refresh_token) throw signInError(`the sign-in has expired. Sign in again: ${access.login}`);
    const tokens = await refreshed(context, authUrl, { clientId, token: stored.refresh_token }, access);
    await putTokens(context.environment, keyOf(authUrl, clientId), tokens);
    return tokens.access_token;
  });

/**
 * An access token: for the headless client of POSTRIDER_CLIENT_ID and POSTRIDER_CLIENT_SECRET, else for the user who
 * signed in.
 * @throws CliError when no user signed in or the sign-in has expired.
 */
export const accessToken = async (context: TokenContext, { authUrl, clientId = '' }: SignIn, access = adminAccess): Promise<string> => {
  const { POSTRIDER_CLIENT_ID: headlessId, POSTRIDER_CLIENT_SECRET: secret } = context.environment;
  if (headlessId && secret) return headlessToken(context, authUrl, { clientId: headlessId, clientSecret: secret }, access.scope);
  if (headlessId || secret) throw signInError('POSTRIDER_CLIENT_ID and POSTRIDER_CLIENT_SECRET must both be set; one of them is missing');
  const stored = (await readTokens(context.environment))[keyOf(authUrl, clientId)];
  if (!stored) throw notSignedInError(access);
  return isUsable(context, stored) ? stored.access_token : userToken(context, authUrl, clientId, access);
};
