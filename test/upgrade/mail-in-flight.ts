import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { plainMessage, sendRaw } from '../../sandbox/clients/smtp-client.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { subjectsWith, type MailClient } from './mail-client.ts';

const from = 'carol@elsewhere.test';
/** Milliseconds between two messages. */
const interval = 1_000;
/**
 * Maximum milliseconds until the last message must have arrived. They include the repetition of a failed attempt after
 * some minutes.
 */
const patience = 10 * 60_000;

export type Flight = { readonly accepted: number; readonly lost: readonly string[]; readonly doubled: readonly string[] };

/**
 * Sends messages by SMTP to a recipient while `work` runs, and one before and one after.
 * @returns the messages that the server accepted but that are not in the account at the end, or are in it twice.
 */
export const deliverWhile = async (sandbox: SandboxDescription, to: string, client: MailClient, work: () => Promise<void>): Promise<Flight> => {
  const flight = `flight ${randomUUID().slice(0, 8)}`;
  const accepted: string[] = [];
  const send = async (): Promise<void> => {
    const subject = `${flight} message ${accepted.length + 1}.`;
    const raw = await plainMessage({ from, to: [to], subject, text: 'Sent during a deployment.' });
    const { rejected } = await sendRaw(sandbox.smtp, { from, to: [to] }, raw);
    if (rejected.length === 0) accepted.push(subject);
  };
  await send();
  const end = new AbortController();
  const sending = (async () => {
    while (!end.signal.aborted) {
      await delay(interval);
      await send();
    }
  })();
  try {
    await work();
  } finally {
    end.abort();
    await sending;
  }
  const until = Date.now() + patience;
  let arrived = await subjectsWith(client, flight);
  while (new Set(arrived).size < accepted.length && Date.now() < until) {
    await delay(1_000);
    arrived = await subjectsWith(client, flight);
  }
  return {
    accepted: accepted.length,
    lost: accepted.filter((subject) => !arrived.includes(subject)),
    doubled: arrived.filter((subject, index) => arrived.indexOf(subject) !== index),
  };
};
