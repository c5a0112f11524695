import { randomUUID } from 'node:crypto';
import { sendRaw } from '../../sandbox/smtp-client.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { composeMessage } from './send-by-smtp.ts';

type OutboxEntry = { readonly id: string; readonly recipients: readonly string[] };

const fromOutbox = (path: string): Promise<Response> => fetch(new URL(path, deployed.outboxUrl));

const messagesTo = async (address: string): Promise<OutboxEntry[]> => {
  const { messages } = await (await fromOutbox('messages.json')).json() as { messages: OutboxEntry[] };
  return messages.filter(({ recipients }) => recipients.includes(address));
};

/** Sends a message from a new address. @returns the address, and the refusals. */
const send = async (to: string, more: object = {}) => {
  const from = `sender-${randomUUID()}@elsewhere.test`;
  const { rejected } = await sendRaw(deployed.smtp!, { from, to: [to] }, await composeMessage({ from, to, subject: 'Hi', text: 'Hello', ...more }));
  return { from, rejected };
};

describeWith('users', 'smtp', 'emulator')('mail to an address that no account has', () => {
  const unknown = `nobody-${randomUUID()}@${sandboxUser('alice').email.split('@')[1]}`;

  test('is refused or bounced to its sender', async () => {
    const { from, rejected } = await send(unknown);
    if (rejected.length > 0) {
      expect(rejected).toEqual([{ recipient: unknown, response: expect.stringMatching(/^550 /) }]);
      return;
    }
    const [bounce] = await eventually(async () => {
      const found = await messagesTo(from);
      expect(found).toHaveLength(1);
      return found;
    });
    const raw = await (await fromOutbox(`messages/${bounce!.id}.eml`)).text();
    expect(raw).toContain(`Final-Recipient: rfc822; ${unknown}\r\nAction: failed\r\nStatus: 5.1.1\r\n`);
  });
});
