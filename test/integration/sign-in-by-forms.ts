import { passSignInPage } from '../../sandbox/clients/hosted-sign-in.ts';
import { sandboxUser } from './deployment.ts';

/** Opens a page like a browser without scripts, fills in the sign-in forms, and opens the callback URL, where a server must listen. */
export const signInByForms = async (name: Parameters<typeof sandboxUser>[0], url: string, callback: string): Promise<void> => {
  await fetch(await passSignInPage(url, callback, sandboxUser(name)));
};
