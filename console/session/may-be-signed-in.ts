import { consoleCallbackPath } from '../../contract/oauth/oauth.ts';

/** The key of the tokens in sessionStorage. */
export const tokensKey = 'console.sign-in';

/**
 * Whether this tab has tokens, or returns from the hosted sign-in. Otherwise the browser is redirected to the hosted
 * sign-in, or a page shows why not.
 */
export const mayBeSignedIn = ({ pathname, search }: Location): boolean =>
  (pathname === consoleCallbackPath && new URLSearchParams(search).has('code')) || window.sessionStorage.getItem(tokensKey) !== null;
