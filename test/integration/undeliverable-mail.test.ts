import { randomUUID } from 'node:crypto';
import type { Alias } from '../../contract/admin/aliases.ts';
import { sendRaw } from '../../sandbox/clients/smtp-client.ts';
import { adminMachineToken } from './access-tokens.ts';
import { ok } from './admin-calls.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { primaryDomain } from './primary-domain.ts';
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
  const { email, accountId } = sandboxUser('alice');
  const mailDomain = email.split('@')[1]!;
  const label = randomUUID().slice(0, 8);
  let token: string;
  let domainId: string;
  const create = async (localPart: string): Promise<Alias> => (await ok<{ alias: Alias }>(
    token, 'aliases/CreateAlias', { account_id: accountId, local_part: localPart, domain_id: domainId },
  )).alias;
  const deactivate = (alias: Alias) => ok(token, 'aliases/UpdateAlias', { alias_id: alias.alias_id, is_active: false });
  const refusedOf = async (to: string) => (await send(to)).rejected;
  const refusal = (recipient: string) => [{ recipient, response: expect.stringMatching(/^550 5\.1\.1 /) }];

  beforeAll(async () => {
    token = await adminMachineToken();
    domainId = (await primaryDomain(token)).id;
  });

  test('is refused with 550 when there is no such address', async () => {
    const unknown = `nobody-${label}@${mailDomain}`;
    expect(await refusedOf(unknown)).toEqual(refusal(unknown));
  });

  test('is bounced to its sender when SES cannot refuse it: an alias that is not active below one that is', async () => {
    const user = await create(`user-${label}`);
    const inactive = await create(`user-${label}+old`);
    await deactivate(inactive);
    await eventually(async () => expect(await refusedOf(user.email)).toEqual([]));
    const { from, rejected } = await send(inactive.email);
    expect(rejected).toEqual([]);
    const [bounce] = await eventually(async () => {
      const found = await messagesTo(from);
      expect(found).toHaveLength(1);
      return found;
    });
    const raw = await (await fromOutbox(`messages/${bounce!.id}.eml`)).text();
    expect(raw).toContain(`Final-Recipient: rfc822; ${inactive.email}\r\nAction: failed\r\nStatus: 5.1.1\r\n`);
  });

  test('is accepted when an alias was created, and refused again when the alias is not active', async () => {
    const alias = await create(`alias-${label}`);
    const detail = alias.email.replace('@', '+detail@');
    await eventually(async () => expect(await refusedOf(detail)).toEqual([]));
    expect(await refusedOf(alias.email)).toEqual([]);
    await deactivate(alias);
    await eventually(async () => expect(await refusedOf(alias.email)).toEqual(refusal(alias.email)));
    expect(await refusedOf(detail)).toEqual(refusal(detail));
  });
});
