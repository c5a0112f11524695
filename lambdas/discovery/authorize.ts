import { authorizationPaths, signOutPaths, maxSignInUrlLength } from '../../contract/jmap/discovery.ts';
import { mailScopes, personScopes, profileMailScope } from '../../contract/oauth/oauth.ts';
import { escapeHtml } from '../../contract/values/escape-html.ts';
import type { HttpResponse } from '../../core/runtime/http/http.ts';
import { page, uncached } from '../../core/runtime/http/page.ts';

/** Thrown for an authorization request that is not handed on. The message is for the person in the browser. */
class BadSignInRequest extends Error {
  override readonly name = 'BadSignInRequest';
}

/** The scopes of the identity provider that a requested scope stands for. Every other scope is left out. */
const meaningOf: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [profileMailScope, mailScopes],
  ...mailScopes.map((scope) => [scope, [scope]] as const),
]);

const isPersonScope = (scope: string): boolean => personScopes.some((each) => each === scope);

/**
 * Translates requested scopes into those of the identity provider. When nothing else is left, OAuth clients keep the
 * scopes of OpenID Connect, with which they signed in before this endpoint existed.
 * @param isOpenid whether the scopes of OpenID Connect stay.
 * @returns the scopes as requested if none is left, so that the provider refuses them. It grants every scope of the
 * client for an empty list.
 */
const providerScope = (requested: string, isOpenid: boolean): string => {
  const scopes = requested.split(' ').filter((scope) => scope !== '');
  const ofPerson = scopes.filter(isPersonScope);
  const ofMail = scopes.flatMap((scope) => meaningOf.get(scope) ?? []);
  const granted = isOpenid || ofMail.length === 0 ? [...ofPerson, ...ofMail] : ofMail;
  return granted.length === 0 ? requested : [...new Set(granted)].join(' ');
};

/** Resources (RFC 8707) that Cognito documents: https, http of localhost, and private-use schemes. */
const isProviderResource = (resource: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(resource) && (!/^http:/i.test(resource) || /^http:\/\/localhost(?=[:/?]|$)/i.test(resource));

type Parameter = { readonly name: string; readonly value: string; readonly text: string };

const parametersOf = (query: string): readonly Parameter[] =>
  query
    .split('&')
    .filter((text) => text !== '')
    .map((text) => {
      // URLSearchParams drops a question mark at the beginning.
      const [[name, value] = ['', '']] = [...new URLSearchParams(`&${text}`)];
      return { name, value, text };
    });

const checkParameters = (parameters: readonly Parameter[]): void => {
  const names = parameters.map(({ name }) => name).filter((name) => name !== 'resource');
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) {
    throw new BadSignInRequest(`It has the parameter ${/^\w{1,40}$/.test(repeated) ? `${repeated} ` : ''}more than once (RFC 6749 §3.1).`);
  }
  for (const name of ['client_id', 'redirect_uri']) {
    if (!parameters.some((each) => each.name === name && each.value !== '')) throw new BadSignInRequest(`It has no ${name} (RFC 6749 §4.1.1).`);
  }
};

/**
 * The URL of the hosted sign-in page for an authorization request (RFC 6749 §4.1.1). The scopes are translated, and a
 * resource that the provider does not take is left out; every other parameter stays octet for octet. The page checks
 * the client and its redirect URI.
 * @param query the query of the request, as it arrived.
 * @throws BadSignInRequest
 */
const signInUrl = (authUrl: string, query: string, isOpenid: boolean): string => {
  if (/[^\x21-\x7e]/.test(query)) throw new BadSignInRequest('It has characters that no URL has.');
  const parameters = parametersOf(query);
  checkParameters(parameters);
  const resources = parameters.filter(({ name }) => name === 'resource');
  const isKept = resources.length === 1 && isProviderResource(resources[0]!.value);
  const handedOn = parameters.flatMap(({ name, value, text }) => {
    if (name === 'resource' && !isKept) return [];
    const scope = name === 'scope' ? providerScope(value, isOpenid) : value;
    return [scope === value ? text : new URLSearchParams({ scope }).toString()];
  });
  const url = `${authUrl}/oauth2/authorize?${handedOn.join('&')}`;
  if (url.length > maxSignInUrlLength) throw new BadSignInRequest(`It is longer than ${maxSignInUrlLength} characters.`);
  return url;
};

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
