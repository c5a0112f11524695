import { consoleCallbackPath } from '../../contract/oauth/oauth.ts';
import { parseJson } from '../../contract/values/parse-json.ts';
import { isStoredSignIn } from '../../site/sign-in/token-store.ts';

/** The key of the tokens in sessionStorage. */
export const tokensKey = 'console.sign-in';

/**
 * Whether this tab has tokens, or returns from the hosted sign-in. Otherwise the browser is redirected to the hosted
 * sign-in, or a page shows why not.
 */
export const mayBeSignedIn = ({ pathname, search }: Location): boolean =>
  (pathname === consoleCallbackPath && new URLSearchParams(search).has('code')) || window.sessionStorage.getItem(tokensKey) !== null;

/** The access token of this tab, if it is still valid. */
export const validToken = (): string | undefined => {
  const stored = parseJson(window.sessionStorage.getItem(tokensKey) ?? '');
  const token = isStoredSignIn(stored) ? stored.token : undefined;
  return token && token.expiresAt > Date.now() ? token.value : undefined;
};
