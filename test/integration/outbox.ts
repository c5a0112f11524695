import { deployed } from './deployment.ts';
import { eventually } from './http-requests.ts';

/** A message that left the sandbox, as `/messages.json` of its outbox lists it. */
export type OutboxMessage = { readonly id: string; readonly subject: string; readonly recipients: readonly string[] };

const fromOutbox = (path: string): Promise<Response> => fetch(new URL(path, deployed.outboxUrl));

/** The messages of the outbox with a subject, the newest first. */
export const outboxMessages = async (subject: string): Promise<readonly OutboxMessage[]> => {
  const { messages } = await (await fromOutbox('messages.json')).json() as { messages: readonly OutboxMessage[] };
  return messages.filter((message) => message.subject === subject);
};

/** The text of a message. */
export const outboxText = async (id: string): Promise<string> => ((await (await fromOutbox(`messages/${id}.json`)).json()) as { text: string }).text;

/** Waits until messages with a subject have left for these recipients, each once. @returns their raw messages. */
export const rawMessagesTo = async (recipients: readonly string[], subject: string): Promise<readonly string[]> => {
  const messages = await eventually(async () => {
    const found = await outboxMessages(subject);
    expect(found.flatMap((message) => message.recipients).toSorted()).toEqual(recipients.toSorted());
    return found;
  });
  return Promise.all(messages.map(async ({ id }) => (await fromOutbox(`messages/${id}.eml`)).text()));
};
