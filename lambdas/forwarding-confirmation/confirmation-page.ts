import { confirmationPage } from '../../contract/jmap/forwarding.ts';
import { escapeHtml } from '../../contract/values/escape-html.ts';
import type { AccountRow } from '../../core/directory/account-row.ts';
import { linkDays, type ForwardTarget } from '../../core/directory/forwarding/forwardings.ts';
import type { HttpResponse } from '../../core/runtime/http/http.ts';
import { page } from '../../core/runtime/http/page.ts';

/** The account whose mail is forwarded, and the address that gets it. */
export type Confirmation = { readonly account: Pick<AccountRow, 'name' | 'email'>; readonly address: ForwardTarget };

/** A text as content or as the value of an attribute. */
const escaped = (text: string): string => escapeHtml(text).replaceAll('"', '&quot;');

const accountText = ({ name, email }: Confirmation['account']): string => escaped(name === '' || name === email ? email : `${name} <${email}>`);

/** The path is relative, because a proxy may serve the JMAP API below another path. The token leaves the address bar with the answer. */
const confirmForm = (token: string): string =>
  `<form method="post" action="${confirmationPage.path.slice(1)}"><input type="hidden" name="${confirmationPage.token}" value="${escaped(token)}"><button>Confirm</button></form>`;

export const questionPage = ({ account, address }: Confirmation, token: string): HttpResponse =>
  page(
    200,
    'Do you agree that mail is forwarded to you?',
    [
      `The account ${accountText(account)} wants to forward the mail that it receives to <strong>${escaped(address.email)}</strong>.`,
      'If you know about it and want to receive this mail, confirm. Otherwise, close this page. Then no mail is forwarded.',
    ],
    confirmForm(token),
  );

export const confirmedPage = ({ account, address }: Confirmation): HttpResponse =>
  page(200, 'Mail is forwarded to you', [
    `Mail that ${accountText(account)} receives is forwarded to <strong>${escaped(address.email)}</strong>.`,
    `If you do not want this mail any more, write to ${escaped(account.email)}. You may close this page.`,
  ]);

export const unknownLinkPage = (): HttpResponse =>
  page(404, 'This link is not valid', [
    `A link can be opened for ${linkDays} days, and only the newest one that was mailed to you.`,
    'To get another one, ask the person who wants to forward mail to you to save the forwarding again.',
  ]);

export const noForwardingPage = (): HttpResponse =>
  page(403, 'No mail is forwarded to you', ['This mail service forwards no mail to other services any more. You may close this page.']);

export const badFormPage = (): HttpResponse =>
  page(400, 'Nothing was confirmed', ['This request is not the form of the page for confirming. Open the link in the mail again, and confirm there.']);

export const wrongMethodPage = (allow: string): HttpResponse => {
  const { headers, ...rest } = page(405, 'This page is opened from a mail', ['Open the link in the mail that you have received.']);
  return { ...rest, headers: { ...headers, allow } };
};
