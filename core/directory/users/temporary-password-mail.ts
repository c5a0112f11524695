import { firstSignInSteps, temporaryPasswordValidity, type Invitation, type SignInPage } from '../../../contract/oauth/first-sign-in.ts';
import type { Mfa } from '../../../contract/oauth/oauth.ts';
import { escapeHtml } from '../../../contract/values/escape-html.ts';

/** The deployment that a person signs in to. */
export type SignInDeployment = { readonly mailDomain: string; readonly mfa: Mfa };

type SignIn = {
  readonly address: string;
  readonly temporaryPassword: string;
  /** Whether the password replaces another one, so that the mail is no invitation. */
  readonly isReset?: boolean;
};

/** A mail that somebody can read, as text and as HTML. */
export type MailContent = { readonly subject: string; readonly text: string; readonly html: string };

const opening = ({ inviter }: Invitation, mailDomain: string, isReset: boolean): string => {
  if (isReset) return `${inviter ?? 'An admin'} has reset your password for the mail of ${mailDomain}.`;
  return inviter === undefined ? `You are invited to the mail of ${mailDomain}.` : `${inviter} invites you to the mail of ${mailDomain}.`;
};

/**
 * Writes the mail that brings a person a temporary password: who sends it, where and how to sign in, and how long that
 * is possible.
 */
export const temporaryPasswordMail = (
  { mailDomain, mfa }: SignInDeployment,
  invitation: Invitation,
  { address, temporaryPassword, isReset = false }: SignIn,
): MailContent => {
  const { inviter, sessionUrl, webmailUrl, consoleUrl } = invitation;
  const rows = [
    ['Sign-in address', address],
    ['Temporary password', temporaryPassword],
    ['Web mail', webmailUrl],
    ['Server for mail programs', sessionUrl],
    ['Console', consoleUrl],
  ].filter((row): row is [string, string] => row[1] !== undefined);
  const pages: readonly SignInPage[] = [
    ...(webmailUrl === undefined ? [] : (['web mail'] as const)),
    ...(consoleUrl === undefined ? [] : (['console'] as const)),
  ];
  const steps = firstSignInSteps(mfa, pages);
  const admin = inviter ?? 'your admin';
  const first = opening(invitation, mailDomain, isReset);
  const last = [
    `${temporaryPasswordValidity} After that, ask ${admin} for another one.`,
    `The mail program must know JMAP: one that only knows IMAP or POP3 cannot read the mail of ${mailDomain}. Ask ${admin} which ones work.`,
    'Nobody will ask you for the password. If you did not expect this mail, delete it.',
  ];
  const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;
  const link = (url: string): string => `<a href="${escapeHtml(encodeURI(url))}">${escapeHtml(url)}</a>`;
  const shown = (value: string): string => (value === consoleUrl || value === webmailUrl ? link(value) : `<b>${escapeHtml(value)}</b>`);
  const cells = ([label, value]: readonly [string, string]): string => `<tr><td>${label}:&nbsp;</td><td>${shown(value)}</td></tr>`;
  return {
    subject: isReset ? `Your new password for the mail of ${mailDomain}` : `Your sign-in for the mail of ${mailDomain}`,
    text: [first, rows.map(([label, value]) => `${label}: ${value}`).join('\n'), steps.map((step, index) => `${index + 1}. ${step}`).join('\n'), ...last]
      .join('\n\n')
      .concat('\n'),
    html: [
      '<!doctype html><html lang="en"><body>',
      paragraph(first),
      '<table>',
      ...rows.map(cells),
      '</table>',
      '<ol>',
      ...steps.map((step) => `<li>${escapeHtml(step)}</li>`),
      '</ol>',
      ...last.map(paragraph),
      '</body></html>',
    ].join('\n'),
  };
};
