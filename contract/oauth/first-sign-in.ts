import { signInStepMinutes, temporaryPasswordDays, type Mfa } from './oauth.ts';

/** The facts of an invitation beyond the sign-in itself. Cognito hands them on as `clientMetadata`. */
export type Invitation = {
  /** The person who invites: `Ada Lovelace (ada@example.com)`. */
  readonly inviter?: string;
  /** URL of the JMAP session, which mail programs ask for. */
  readonly sessionUrl?: string;
  /** URL of the web mail, where the deployment has it. */
  readonly webmailUrl?: string;
  /** URL of the console, for admins. */
  readonly consoleUrl?: string;
};

const installApp = 'Install an authenticator app on your phone first, such as Google Authenticator, Microsoft Authenticator or 2FAS';

/** The way out of a sign-in that took too long. By then the temporary password may have been replaced. */
const beginAgain =
  `The page waits ${signInStepMinutes} minutes at each step. If it says that the session has expired, begin again, with your NEW password if you have ` +
  'chosen one: the temporary password no longer works then.';

/** A page in the browser that asks for the sign-in. */
export type SignInPage = 'web mail' | 'console';

/** The step of a first sign-in that comes before all others. @param mfa undefined where it is not known. */
const stepsBefore = (mfa: Mfa | undefined): readonly string[] => {
  if (mfa === 'off') return [];
  return [mfa === 'required' ? `${installApp}.` : `${installApp}, unless your admin says that you need none.`];
};

/**
 * The steps of a person's first sign-in, below a list of the server, the sign-in address and the temporary password.
 * @param mfa undefined where it is not known.
 * @param pages those of the list that lead to the sign-in.
 */
export const firstSignInSteps = (mfa: Mfa | undefined, pages: readonly SignInPage[] = []): readonly string[] => [
  ...stepsBefore(mfa),
  `${pages.length > 0 ? `Open the ${pages.join(' or the ')}, or add` : 'Add'} an account to your mail program, which asks for the address of the server. A web page opens.`,
  'Sign in there with the sign-in address and the temporary password above, and choose a password of your own.',
  ...(mfa === undefined ? [`If the page then shows a code, scan it with the authenticator app. ${beginAgain}`] : []),
  ...(mfa === 'required' ? [`Scan the code that the page then shows with the authenticator app. ${beginAgain}`] : []),
];

/** How long a temporary password can be used. */
export const temporaryPasswordValidity = `The temporary password is valid for ${temporaryPasswordDays} days.`;
