import type { ServerResponse } from 'node:http';
import {
  CognitoIdentityProviderClient,
  ConfirmForgotPasswordCommand,
  CognitoIdentityProviderServiceException,
  ForgotPasswordCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { emulatorConfig } from './deployed-apis.ts';

const [askForCode, confirm] = ['/forgotPassword', '/confirmForgotPassword'] as const;
/** The paths of the page. */
export const forgotPasswordPaths: readonly string[] = [askForCode, confirm];

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)!};`);

type Field = { readonly name: string; readonly label: string; readonly type: 'text' | 'password' };
const addressField: Field = { name: 'username', label: 'Email', type: 'text' };
const newPasswordFields: readonly Field[] = [
  { name: 'confirmation_code', label: 'Code', type: 'text' },
  { name: 'new_password', label: 'New password', type: 'password' },
];

const hiddenInput = ([name, value]: readonly [string, string]): string => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`;
const labeledInput = ({ name, label, type }: Field): string => `<label>${label} <input type="${type}" name="${name}" required></label>`;

type Form = { readonly action: string; readonly kept: URLSearchParams; readonly fields: readonly Field[]; readonly text: string; readonly error?: string };

const sendPage = (response: ServerResponse, { action, kept, fields, text, error }: Form): void => {
  const hidden = [...kept].filter(([name]) => !fields.some((field) => field.name === name)).map(hiddenInput);
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Forgot your password?</title><h1>Forgot your password?</h1>
${error === undefined ? '' : `<p class="errorMessage">${escaped(error)}</p>`}<p>${text}</p>
<form method="post" action="${action}">${hidden.join('')}${fields.map(labeledInput).join('')}<button type="submit">Continue</button></form></html>`);
};

type Request = { readonly path: string; readonly method: string; readonly parameters: URLSearchParams };

/**
 * Serves the hosted sign-in's page for a forgotten password, which the emulator lacks, by its API. As at a user pool,
 * the page shows the message of an error, also of a Lambda trigger.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-working-with-lambda-triggers.html
 */
export const serveForgotPassword = async (emulator: string, { path, method, parameters: kept }: Request, response: ServerResponse): Promise<void> => {
  const [ClientId, Username] = [kept.get('client_id') ?? '', kept.get('username') ?? ''];
  const first: Form = { action: askForCode, kept, fields: [addressField], text: 'Enter your email address, and we send you a code.' };
  const second: Form = { action: confirm, kept, fields: newPasswordFields, text: 'Enter the code that we sent you, and a new password.' };
  if (method !== 'POST') return sendPage(response, first);
  const cognito = new CognitoIdentityProviderClient(emulatorConfig(emulator));
  try {
    if (path === askForCode) {
      await cognito.send(new ForgotPasswordCommand({ ClientId, Username }));
      return sendPage(response, second);
    }
    const [ConfirmationCode, Password] = [kept.get('confirmation_code') ?? '', kept.get('new_password') ?? ''];
    await cognito.send(new ConfirmForgotPasswordCommand({ ClientId, Username, ConfirmationCode, Password }));
    for (const name of ['username', 'confirmation_code', 'new_password']) kept.delete(name);
    response.writeHead(302, { location: `/login?${kept.toString()}` }).end();
  } catch (error) {
    if (!(error instanceof CognitoIdentityProviderServiceException)) throw error;
    sendPage(response, { ...(path === askForCode ? first : second), error: error.message });
  } finally {
    cognito.destroy();
  }
};
