import type { CustomMessageTriggerEvent } from 'aws-lambda';
import { escapeHtml } from '../../contract/values/escape-html.ts';

/** Hours for which Cognito accepts the code of a forgotten password (Cognito developer guide, "Forgot password"). */
const validHours = 1;

/**
 * Writes the mail with the code for a forgotten password. Cognito puts the code in the place of its parameter. Other
 * messages keep their words.
 */
export const withResetCode = (event: CustomMessageTriggerEvent, { mailDomain }: { readonly mailDomain: string }): CustomMessageTriggerEvent => {
  const {
    triggerSource,
    request: {
      codeParameter,
      userAttributes: { email = '' },
    },
  } = event;
  if (triggerSource !== 'CustomMessage_ForgotPassword') return event;
  const paragraphs = [
    `Somebody, probably you, has forgotten the password of ${email} for the mail of ${mailDomain}.`,
    `Enter this code on the page that asked for it, and choose a new password: ${codeParameter}`,
    `The code is valid once, for ${validHours} hour.`,
    'Nobody will ask you for the code. If you did not ask for it, delete this mail: your password stays as it is.',
  ];
  const body = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`);
  return {
    ...event,
    response: {
      ...event.response,
      emailSubject: `Your code for a new password for the mail of ${mailDomain}`,
      emailMessage: ['<!doctype html><html lang="en"><body>', ...body, '</body></html>'].join('\n'),
    },
  };
};
