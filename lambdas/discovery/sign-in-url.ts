import { maxSignInUrlLength } from '../../contract/jmap/discovery.ts';
import { mailScopes, personScopes, profileMailScope } from '../../contract/oauth/oauth.ts';

/** Thrown for an authorization request that is not handed on. The message is for the person in the browser. */
export class BadSignInRequest extends Error {
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
export const providerScope = (requested: string, isOpenid: boolean): string => {
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
export const signInUrl = (authUrl: string, query: string, isOpenid: boolean): string => {
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
