import { authorizationPaths, signOutPaths } from '../../contract/jmap/discovery.ts';
import { escapeHtml } from '../../contract/values/escape-html.ts';
import type { HttpResponse } from '../../core/runtime/http/http.ts';
import { page, uncached } from './page.ts';
import { BadSignInRequest, signInUrl } from './sign-in-url.ts';

const refusal = (reason: string, signOutUrl: string): HttpResponse =>
  page(400, 'The sign-in did not start', [
    `The mail program’s request to sign in is not valid. ${reason}`,
    'Close this page and start the sign-in again in the mail program. If this page comes back, tell the makers of the program what it says.',
    `If the program asks you to sign in again and again, <a href="${escapeHtml(signOutUrl)}">sign out of this browser</a> first.`,
  ]);

/** Whether the program wants that the person types the password (OpenID Connect Core 1.0 §3.1.2.1). */
const wantsPassword = (query: string): boolean => new URLSearchParams(query).get('prompt')?.split(' ').includes('login') ?? false;

/** The hosted page knows no `prompt=login`, and would sign in a browser that it remembers. */
const passwordQuestion = (signInLocation: string, signOutUrl: string): HttpResponse =>
  page(200, 'Sign in again', [
    'The program asks you to sign in anew, for example because your password has changed.',
    `<a href="${escapeHtml(signOutUrl)}" target="_blank" rel="noreferrer">Sign out of this browser</a> first, in a page of its own.`,
    `Then come back to this page, and <a href="${escapeHtml(signInLocation)}">sign in</a> with your present password.`,
  ]);

type AuthorizationPath = (typeof authorizationPaths)[keyof typeof authorizationPaths];

const isAuthorizationPath = (path: string): path is AuthorizationPath => Object.values<string>(authorizationPaths).includes(path);

/** The path of the authorization endpoint for a request to its own API, with or without what an API mapping removes. */
export const authorizationPathOf = (rawPath: string): AuthorizationPath | undefined =>
  [rawPath, `${authorizationPaths.oauth}${rawPath === '/' ? '' : rawPath}`].find(isAuthorizationPath);

/**
 * The authorization endpoint: redirects to the hosted sign-in page, and to no other place
 * (docs/specification.md#authorization-endpoint). A request that is not handed on gets a page that says why, and one with
 * `prompt=login` a page that leads to the sign-out first.
 */
export const authorize = (
  { authUrl, jmapUrl }: { readonly authUrl: string; readonly jmapUrl: string },
  path: AuthorizationPath,
  rawQueryString = '',
): HttpResponse => {
  const signOutUrl = `${jmapUrl}${signOutPaths.start}`;
  try {
    const location = signInUrl(authUrl, rawQueryString, path === authorizationPaths.openid);
    if (wantsPassword(rawQueryString)) return passwordQuestion(location, signOutUrl);
    return { statusCode: 302, headers: { ...uncached, location } };
  } catch (error) {
    if (error instanceof BadSignInRequest) return refusal(error.message, signOutUrl);
    throw error;
  }
};
