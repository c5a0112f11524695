import type { CustomMessageTriggerEvent } from 'aws-lambda';
import { withResetCode } from '../../../lambdas/custom-message/reset-code-message.ts';

const messageFor = (email: string, triggerSource = 'CustomMessage_ForgotPassword') => {
  const request = { userAttributes: { email }, usernameParameter: null, codeParameter: '{####}' };
  const event = { triggerSource, request, response: { smsMessage: null, emailMessage: null, emailSubject: null } } as unknown as CustomMessageTriggerEvent;
  return withResetCode(event, { mailDomain: 'example.com' }).response;
};

describe('the mail with the code for a forgotten password', () => {
  test('says for which address and which mail, what to do with the code, and for how long', () => {
    const { emailSubject, emailMessage } = messageFor('ben@elsewhere.org');
    expect(emailSubject).toContain('example.com');
    for (const fact of ['ben@elsewhere.org', 'example.com', '{####}', '1 hour', 'delete this mail']) expect(emailMessage).toContain(fact);
  });

  test('shows an address as text', () => {
    expect(messageFor('a&b@elsewhere.org').emailMessage).toContain('a&amp;b@elsewhere.org');
  });
});

test('another message keeps its words', () => {
  expect(messageFor('ben@elsewhere.org', 'CustomMessage_AdminCreateUser').emailMessage).toBeNull();
});
