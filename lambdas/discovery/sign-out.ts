import { signOutPaths } from '../../contract/jmap/discovery.ts';
import type { HttpResponse } from '../../core/runtime/http/http.ts';
import { page, uncached } from '../../core/runtime/http/page.ts';

export type SignOutDeployment = {
  readonly jmapUrl: string;
  /** Base URL of Cognito's hosted sign-in. */
  readonly authUrl: string;
  /** The app client for which the hosted page may return to {@link signOutPaths}. */
  readonly cliClientId: string;
};

const start = ({ jmapUrl, authUrl, cliClientId }: SignOutDeployment): HttpResponse => {
  const query = new URLSearchParams({ client_id: cliClientId, logout_uri: `${jmapUrl}${signOutPaths.done}` }).toString();
  return { statusCode: 302, headers: { ...uncached, location: `${authUrl}/logout?${query}` } };
};

const done = (): HttpResponse =>
  page(200, 'You are signed out of this browser', [
    'Close this page and sign in again where you began, with your present password.',
    'Your mail programs stay signed in.',
  ]);

/** The response at one of the {@link signOutPaths}; undefined for another path. */
export const signOut = (deployment: SignOutDeployment, path: string): HttpResponse | undefined => {
  if (path === signOutPaths.start) return start(deployment);
  return path === signOutPaths.done ? done() : undefined;
};
