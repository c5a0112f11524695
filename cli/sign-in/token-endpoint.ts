import * as z from 'zod';
import type { CliContext } from '../terminal/cli-context.ts';
import { signInError } from '../terminal/cli-error.ts';

/** The token endpoint's response (RFC 6749 §5.1). */
const TokenResponse = z.object({ access_token: z.string().min(1), expires_in: z.number().optional(), refresh_token: z.string().optional() });
const ErrorResponse = z.object({ error: z.string(), error_description: z.string().optional() });

export const Tokens = z.object({ access_token: z.string(), /** Milliseconds since 1970. */ expires_at: z.number(), refresh_token: z.string().optional() });
export type Tokens = z.output<typeof Tokens>;

const tokenRequestTimeout = 30_000;

/** A message of the sign-in on one line, without control characters, at most 200 characters. */
export const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').slice(0, 200);

/**
 * Calls the token endpoint (RFC 6749 §3.2).
 * @param credentials those of a confidential client, sent by HTTP Basic (§2.3.1).
 * @throws CliError with the endpoint's error message.
 */
export const requestTokens = async (
  { fetch: send, now }: Pick<CliContext, 'fetch' | 'now'>,
  authUrl: string,
  form: Record<string, string>,
  credentials?: { readonly clientId: string; readonly clientSecret: string },
): Promise<Tokens> => {
  const basic = credentials && Buffer.from([credentials.clientId, credentials.clientSecret].map(encodeURIComponent).join(':')).toString('base64');
  const response = await send(`${authUrl}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(basic !== undefined && { authorization: `Basic ${basic}` }) },
    body: new URLSearchParams(form).toString(),
    redirect: 'error',
    signal: AbortSignal.timeout(tokenRequestTimeout),
  }).catch((error: unknown) => {
    throw signInError(`the sign-in at ${authUrl} cannot be reached: ${error instanceof Error ? oneLine(error.message) : 'no response'}`);
  });
  const body: unknown = await response.json().catch(() => undefined);
  const granted = response.ok ? TokenResponse.safeParse(body).data : undefined;
  if (granted) {
    return { access_token: granted.access_token, expires_at: now() + (granted.expires_in ?? 300) * 1000, refresh_token: granted.refresh_token };
  }
  const refused = ErrorResponse.safeParse(body).data;
  const reason = refused ? oneLine([refused.error, refused.error_description].filter(Boolean).join(': ')) : `status ${response.status}`;
  throw signInError(`the sign-in was refused: ${reason}`);
};
