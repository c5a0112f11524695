import { htmlToText } from '../../core/mime/html-to-text.ts';
import { deployed } from './deployment.ts';
import { eventually } from './http-requests.ts';

/** A message that left the sandbox, as `/messages.json` of its outbox lists it. */
export type OutboxMessage = { readonly id: string; readonly subject: string; readonly recipients: readonly string[] };

const fromOutbox = (path: string): Promise<Response> => fetch(new URL(path, deployed.outboxUrl));

const listed = async (matches: (message: OutboxMessage) => boolean): Promise<readonly OutboxMessage[]> => {
  const { messages } = (await (await fromOutbox('messages.json')).json()) as { messages: readonly OutboxMessage[] };
  return messages.filter(matches);
};

/** The messages of the outbox with a subject, newest first. */
export const outboxMessages = (subject: string) => listed((message) => message.subject === subject);

/** The messages in the outbox for an address, newest first. */
export const messagesTo = (address: string) => listed(({ recipients }) => recipients.includes(address));

/** Reads a raw message of the outbox. */
export const rawMessage = async (id: string): Promise<string> => (await fromOutbox(`messages/${id}.eml`)).text();

/** Waits for a message to an address in the outbox. @returns the raw message as text. */
export const rawMessageTo = async (address: string): Promise<string> =>
  rawMessage(
    await eventually(async () => {
      const found = await messagesTo(address);
      expect(found).toHaveLength(1);
      return found[0]!.id;
    }),
  );

/** The text of a message, or of its HTML when it has nothing else. */
export const outboxText = async (id: string): Promise<string> => {
  const { text, html = '' } = (await (await fromOutbox(`messages/${id}.json`)).json()) as { text?: string; html?: string };
  return text ?? htmlToText(html, html.length);
};

/** Waits until the outbox has a message with a subject for each of these recipients. @returns the raw messages. */
export const rawMessagesTo = async (recipients: readonly string[], subject: string): Promise<readonly string[]> => {
  const messages = await eventually(async () => {
    const found = await outboxMessages(subject);
    expect(found.flatMap((message) => message.recipients).toSorted()).toEqual(recipients.toSorted());
    return found;
  });
  return Promise.all(messages.map(({ id }) => rawMessage(id)));
};
