import { setTimeout as pause } from 'node:timers/promises';
import { longestWait } from './longest-wait.ts';

type OutboxEntry = { readonly id: string; readonly recipients: readonly string[]; readonly subject: string };

const json = async (url: URL): Promise<unknown> => (await fetch(url)).json();

/**
 * Follows the link in the newest verification mail to the address in the sandbox's outbox, as the owner of the address
 * would.
 * @throws Error when no such mail arrives within three minutes, or when its link does not work.
 */
export const followVerificationLink = async (outboxUrl: string, email: string): Promise<void> => {
  for (let waited = 0; waited <= longestWait; waited += 50) {
    const { messages } = (await json(new URL('messages.json', outboxUrl))) as { messages: OutboxEntry[] };
    const mail = messages.find(({ recipients, subject }) => recipients.includes(email) && subject.includes('Verification Request'));
    if (mail) {
      const { text } = (await json(new URL(`messages/${mail.id}.json`, outboxUrl))) as { text: string };
      const [link] = /http:\S+\/verify-email\?token=\S+/.exec(text) ?? [];
      const { status } = await fetch(link ?? outboxUrl);
      if (!link || status !== 200) throw new Error(`the link in the mail to ${email} does not work (${status})`);
      return;
    }
    await pause(50);
  }
  throw new Error(`there is no verification mail to ${email}`);
};
