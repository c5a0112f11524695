import { authorizationPaths } from '../../contract/jmap/discovery.ts';
import type { HttpResponse } from '../../core/runtime/http/http.ts';
import { BadSignInRequest, signInUrl } from './sign-in-url.ts';

const uncached = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

const page = (reason: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The sign-in did not start</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 0 1rem }</style>
<h1>The sign-in did not start</h1>
<p>The mail program’s request to sign in is not valid. ${reason}</p>
<p>Close this page and start the sign-in again in the mail program. If this page comes back, tell the makers of the program what it says.</p>
</html>
`;

const refusal = (reason: string): HttpResponse => ({
  statusCode: 400,
  headers: {
    ...uncached, 'content-type': 'text/html; charset=utf-8', 'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  },
  body: page(reason),
});

type AuthorizationPath = typeof authorizationPaths[keyof typeof authorizationPaths];

const isAuthorizationPath = (path: string): path is AuthorizationPath => Object.values<string>(authorizationPaths).includes(path);

/** The path of the authorization endpoint for a request to its own API, with or without what an API mapping removes. */
export const authorizationPathOf = (rawPath: string): AuthorizationPath | undefined =>
  [rawPath, `${authorizationPaths.oauth}${rawPath === '/' ? '' : rawPath}`].find(isAuthorizationPath);

/**
 * The authorization endpoint: redirects to the hosted sign-in page, and to no other place
 * (docs/specification.md#authorization-endpoint). A request that is not handed on gets a page that says why.
 */
export const authorize = (authUrl: string, path: AuthorizationPath, rawQueryString = ''): HttpResponse => {
  try {
    const location = signInUrl(authUrl, rawQueryString, path === authorizationPaths.openid);
    return { statusCode: 302, headers: { ...uncached, location } };
  } catch (error) {
    if (error instanceof BadSignInRequest) return refusal(error.message);
    throw error;
  }
};
