import { webmailCallbackPath, type SignInSettings } from '../../contract/deployment/webmail.ts';
import { createHostedSignIn, type SignIn } from '../../site/sign-in/sign-in.ts';
import { isSharedComputer, tokenStore } from './token-store.ts';

export const createSignIn = (settings: SignInSettings, origin: string): SignIn =>
  createHostedSignIn({
    site: 'webmail',
    settings,
    redirectUri: `${origin}${webmailCallbackPath}`,
    store: tokenStore,
    sharing: () => (isSharedComputer() ? 'nothing' : 'tokens'),
  });
