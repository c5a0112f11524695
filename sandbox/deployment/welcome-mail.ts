import { setTimeout as delay } from 'node:timers/promises';
import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { signIn } from '../clients/hosted-sign-in.ts';
import { inboxSubjects } from '../clients/jmap-client.ts';
import { plainMessage, sendRawWhenAccepted } from '../clients/smtp-client.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import type { SandboxDescription, SandboxUser } from '../state/sandbox-description.ts';

type SandboxEndpoints = Pick<SandboxDescription, 'jmapUrl' | 'authUrl' | 'clients' | 'smtp'>;

const subject = 'Welcome to Postrider';
const sender = 'postmaster@postrider.test';
const deliveryTimeout = 30_000;

const text = (email: string): string => `Hello,

this message was received by SMTP, passed through S3, SNS and SQS to the deliver Lambda, and you read it over JMAP.
Write to ${email} with any SMTP client; mail to other domains is in the outbox.
`;

const send = async (endpoints: SandboxEndpoints, email: string): Promise<void> => {
  const raw = await plainMessage({ from: `Postrider <${sender}>`, to: [email], subject, text: text(email) });
  const { rejected } = await sendRawWhenAccepted(endpoints.smtp, { from: sender, to: [email] }, raw, deliveryTimeout);
  if (rejected.length > 0) throw new SandboxError(`The SMTP server refused the welcome message for ${email}: ${rejected[0]?.response}`);
};

/** Signs a user in at the hosted page. @returns the access token. */
export const signInUser = async (person: SandboxUser, places: Pick<SandboxEndpoints, 'authUrl' | 'clients'>): Promise<string> => {
  const { email, password } = person;
  return (await signIn({ authUrl: places.authUrl, clientId: places.clients.cli.clientId, redirectUri: cliCallbackUrls[0], email, password })).access_token;
};

/** Checks that a user can read mail over JMAP with a token of the hosted sign-in. */
export const readInbox = async (person: SandboxUser, places: SandboxEndpoints): Promise<void> => {
  await inboxSubjects(places.jmapUrl, await signInUser(person, places));
};

/**
 * Sends a welcome message by SMTP and waits until the user can read it over JMAP with a token of the hosted sign-in.
 */
export const deliverWelcomeMail = async (person: SandboxUser, places: SandboxEndpoints, signal: AbortSignal): Promise<void> => {
  const token = await signInUser(person, places);
  await send(places, person.email);
  for (const until = Date.now() + deliveryTimeout; Date.now() < until;) {
    if ((await inboxSubjects(places.jmapUrl, token)).includes(subject)) return;
    await delay(100, undefined, { signal });
  }
  throw new SandboxError(
    `The welcome message for ${person.email} did not arrive within ${deliveryTimeout / 1000} s.`,
    "The Lambda's log: npm run sandbox -- logs deliver",
  );
};
