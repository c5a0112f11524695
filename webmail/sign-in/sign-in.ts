import { webmailCallbackPath, type WebmailConfig } from '../../contract/deployment/webmail.ts';
import { createHostedSignIn, type SignIn } from '../../site/sign-in/sign-in.ts';
import { isSharedComputer, tokenStore } from './token-store.ts';

export const createSignIn = (settings: WebmailConfig['signIn'], origin: string): SignIn =>
  createHostedSignIn({
    site: 'webmail',
    settings,
    redirectUri: `${origin}${webmailCallbackPath}`,
    store: tokenStore,
    sharing: () => (isSharedComputer() ? 'nothing' : 'tokens'),
  });
