import type { CustomMessageTriggerEvent } from 'aws-lambda';
import type { Invitation } from '../../../contract/oauth/first-sign-in.ts';
import type { Mfa } from '../../../contract/oauth/oauth.ts';
import { withInvitation } from '../../../lambdas/custom-message/invitation-message.ts';

/** The message that Cognito sends after the trigger. */
const messageFor = (clientMetadata: Invitation | undefined, mfa: Mfa = 'required', triggerSource = 'CustomMessage_AdminCreateUser') => {
  const request = { userAttributes: { email: 'ben@elsewhere.org' }, usernameParameter: '{username}', codeParameter: '{####}', clientMetadata };
  const event = { triggerSource, request, response: { smsMessage: null, emailMessage: null, emailSubject: null } } as unknown as CustomMessageTriggerEvent;
  return withInvitation(event, { mailDomain: 'example.com', mfa }).response;
};

describe('an invitation that Cognito sends', () => {
  const facts = { inviter: 'Ada Lovelace (ada@example.com)', sessionUrl: 'https://jmap.example.com/.well-known/jmap' };

  test('says who invites, to what, where to sign in with what, and for how long', () => {
    const { emailSubject, emailMessage } = messageFor(facts);
    expect(emailSubject).toContain('example.com');
    for (const fact of [facts.inviter, facts.sessionUrl, '{username}', '{####}', '7 days', 'authenticator app']) expect(emailMessage).toContain(fact);
    expect(emailMessage).not.toContain('console');
  });

  test('leads an admin to the console', () => {
    expect(messageFor({ ...facts, consoleUrl: 'https://console.example.com' }).emailMessage).toMatch(
      /<a href="https:\/\/console\.example\.com">.*Open the console/s,
    );
  });

  test('leads to the web mail, where the deployment has it', () => {
    const webmailUrl = 'https://mail.example.com';
    expect(messageFor({ ...facts, webmailUrl }).emailMessage).toMatch(/<a href="https:\/\/mail\.example\.com">.*Open the web mail, or add an account/s);
    expect(messageFor({ ...facts, webmailUrl, consoleUrl: 'https://console.example.com' }).emailMessage).toContain('Open the web mail or the console, or add');
  });

  test('asks for no second factor where the deployment asks for none', () => {
    expect(messageFor(facts, 'off').emailMessage).not.toContain('authenticator');
  });

  test('is complete without the caller’s facts, and is as long as Cognito takes with the longest', () => {
    expect(messageFor(undefined).emailMessage).toMatch(/You are invited to the mail of example\.com.*\{username\}.*\{####\}/s);
    const { emailMessage, emailSubject } = messageFor({ ...facts, inviter: `${'&'.repeat(100)} (${'a'.repeat(64)}@example.com)` });
    expect(emailMessage!.length).toBeLessThan(20_000);
    expect(emailSubject!.length).toBeLessThanOrEqual(140);
  });

  test('shows the name of the admin as text, whatever it is', () => {
    expect(messageFor({ ...facts, inviter: '<img src=x onerror=alert(1)> & Co' }).emailMessage).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; Co');
  });
});

test('other messages keep Cognito’s words', () => {
  expect(messageFor(undefined, 'required', 'CustomMessage_Authentication')).toEqual({ smsMessage: null, emailMessage: null, emailSubject: null });
});
