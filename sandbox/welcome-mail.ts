import { setTimeout as delay } from 'node:timers/promises';
import { cliCallbackUrls } from '../contract/oauth.ts';
import type { SandboxDescription, SandboxUser } from './sandbox-description.ts';
import { signIn } from './hosted-sign-in.ts';
import { inboxSubjects } from './jmap-client.ts';
import { SandboxError } from './sandbox-error.ts';
import { plainMessage, sendRaw } from './smtp-client.ts';

type Places = Pick<SandboxDescription, 'jmapUrl' | 'authUrl' | 'clients' | 'smtp'>;

const subject = 'Welcome to Postrider';
const sender = 'postmaster@postrider.test';
const patience = 30_000;

const text = (email: string): string => `Hello,

this message came in by SMTP, went through S3, SNS and SQS to the Lambda that delivers, and you read it over JMAP.
Write to ${email} with any SMTP client; what you send elsewhere lands in the outbox.
`;

const send = async (places: Places, email: string): Promise<void> => {
  const raw = await plainMessage({ from: `Postrider <${sender}>`, to: [email], subject, text: text(email) });
  const { rejected } = await sendRaw(places.smtp, { from: sender, to: [email] }, raw);
  if (rejected.length > 0) throw new SandboxError(`The SMTP door refused the welcome message for ${email}: ${rejected[0]?.response}`);
};

/** An access token of a person, by the hosted sign-in. */
export const tokenOf = async (person: SandboxUser, places: Pick<Places, 'authUrl' | 'clients'>): Promise<string> => {
  const { email, password } = person;
  return (await signIn({ authUrl: places.authUrl, clientId: places.clients.cli.clientId, redirectUri: cliCallbackUrls[0], email, password })).access_token;
};

/** Shows that a person's mail can be read over JMAP with a token of the hosted sign-in. */
export const readMail = async (person: SandboxUser, places: Places): Promise<void> => {
  await inboxSubjects(places.jmapUrl, await tokenOf(person, places));
};

/** Greets a person by SMTP and waits until the greeting can be read over JMAP with a token of the hosted sign-in. */
export const welcome = async (person: SandboxUser, places: Places, signal: AbortSignal): Promise<void> => {
  const token = await tokenOf(person, places);
  await send(places, person.email);
  for (const until = Date.now() + patience; Date.now() < until;) {
    if ((await inboxSubjects(places.jmapUrl, token)).includes(subject)) return;
    await delay(100, undefined, { signal });
  }
  throw new SandboxError(`The welcome message for ${person.email} did not arrive within ${patience / 1000} s.`, 'npm run sandbox -- logs deliver');
};
