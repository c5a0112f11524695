/** The words of the pages before the mail. */
export const words = {
  signIn: 'Sign in',
  signOut: 'Sign out',
  again: 'Try again',
  shared: 'This is a shared computer: forget everything when I close this tab',
  welcome: { title: 'Mail', text: 'Sign in to read your mail.' },
  signedOut: { title: 'You are signed out', text: 'Nothing of your mail is left on this device.' },
  ended: { title: 'Your sign-in has ended', text: 'Sign in again to go on where you were.' },
  notSignedIn: 'You are not signed in',
  failed: 'Your mail can’t be opened',
  unreachable: 'The server can’t be reached. Check your connection, then try again.',
  refused: 'The server does not accept your sign-in.',
  forbidden: 'You may not read mail here, or not any more. Ask your administrator.',
  sessionFailed: (status: number): string => `The mail server answers ${status}. Try again in a minute; if it goes on, tell your administrator.`,
  noMailbox: (username: string): string => `${username} has no mailbox. Ask your administrator for one.`,
};
