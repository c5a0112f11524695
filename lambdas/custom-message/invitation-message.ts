import type { CustomMessageTriggerEvent } from 'aws-lambda';
import { temporaryPasswordMail, type SignInDeployment } from '../../core/directory/users/temporary-password-mail.ts';

/**
 * Writes an invitation that Cognito sends. Cognito puts the sign-in address and the temporary password in the place of
 * its parameters. Other messages keep Cognito's words.
 */
export const withInvitation = (event: CustomMessageTriggerEvent, deployment: SignInDeployment): CustomMessageTriggerEvent => {
  const {
    triggerSource,
    request: { usernameParameter, codeParameter, clientMetadata },
  } = event;
  if (triggerSource !== 'CustomMessage_AdminCreateUser' || usernameParameter === null) return event;
  const { subject, html } = temporaryPasswordMail(deployment, clientMetadata ?? {}, { address: usernameParameter, temporaryPassword: codeParameter });
  return { ...event, response: { ...event.response, emailSubject: subject, emailMessage: html } };
};
