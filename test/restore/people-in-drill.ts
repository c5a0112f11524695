import { plainMessage, sendRawWhenAccepted } from '../../sandbox/clients/smtp-client.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { subjectsWith, untilFound, type MailClient, type Result } from '../upgrade/mail-client.ts';

const sender = 'carol@elsewhere.test';

/** Sends messages by SMTP and waits until they are in the account. */
export const deliver = async (sandbox: SandboxDescription, client: MailClient, to: string, subjects: readonly string[]): Promise<void> => {
  for (const subject of subjects) {
    const raw = await plainMessage({ from: sender, to: [to], subject, text: `The text of ${subject}` });
    await sendRawWhenAccepted(sandbox.smtp, { from: sender, to: [to] }, raw, 60_000);
  }
  await untilFound(
    async () => {
      const arrived = await subjectsWith(client, '');
      return subjects.every((subject) => arrived.includes(subject)) || undefined;
    },
    `delivery of ${subjects.at(-1)}`,
  );
};

/** Puts flags on some messages, and others into a new Mailbox, so that a restore has something to get wrong. */
export const sortMail = async (client: MailClient): Promise<void> => {
  const [{ created }, { ids }] = (await client.call(['Mailbox/set', { create: { sorted: { name: 'Sorted' } } }], ['Email/query', { limit: 6 }])) as [
    { created: Record<string, { id: string }> },
    { ids: string[] },
  ];
  const update = Object.fromEntries(
    ids.map((id, index): [string, Result] => [
      id,
      index % 2 === 0 ? { 'keywords/$flagged': true } : { mailboxIds: { [created['sorted']!.id]: true }, 'keywords/$seen': true },
    ]),
  );
  await client.call(['Email/set', { update }]);
};

/** The type of the error that Email/changes returns for an earlier state; undefined without an error. */
export const changesError = async (client: MailClient, sinceState: string): Promise<string | undefined> => {
  try {
    await client.call(['Email/changes', { sinceState }]);
    return undefined;
  } catch (error) {
    return /"type":"(\w+)"/.exec((error as Error).message)?.[1];
  }
};
