import { randomUUID } from 'node:crypto';
import type { Alias } from '../../contract/admin/aliases.ts';
import { sendRaw } from '../../sandbox/clients/smtp-client.ts';
import { accessTokenOf, adminMachineToken } from './access-tokens.ts';
import { ok } from './admin-calls.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, receivedEmail } from './jmap-client.ts';
import { rawMessageTo } from './outbox.ts';
import { primaryDomain } from './primary-domain.ts';
import { composeMessage, sendBySmtp, uniqueSubject } from './send-by-smtp.ts';

/** Sends a message from a new address. @returns the address, and the refused recipients. */
const send = async (to: string, more: object = {}) => {
  const from = `sender-${randomUUID()}@elsewhere.test`;
  const { rejected } = await sendRaw(deployed.smtp!, { from, to: [to] }, await composeMessage({ from, to, subject: 'Hi', text: 'Hello', ...more }));
  return { from, rejected };
};

describeWith(
  'users',
  'smtp',
  'emulator',
)('mail to an address that no account has', () => {
  const { email, accountId } = sandboxUser('alice');
  const mailDomain = email.split('@')[1]!;
  const label = randomUUID().slice(0, 8);
  let token: string;
  let domainId: string;
  const create = async (localPart: string): Promise<Alias> =>
    (await ok<{ alias: Alias }>(token, 'aliases/CreateAlias', { account_id: accountId, local_part: localPart, domain_id: domainId })).alias;
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
    const raw = await rawMessageTo(from);
    expect(raw).toContain(`Final-Recipient: rfc822; ${inactive.email}\r\nAction: failed\r\nStatus: 5.1.1\r\n`);
  });

  test('is accepted after an alias was created, and refused again after the alias was deactivated', async () => {
    const alias = await create(`alias-${label}`);
    const detail = alias.email.replace('@', '+detail@');
    await eventually(async () => expect(await refusedOf(detail)).toEqual([]));
    expect(await refusedOf(alias.email)).toEqual([]);
    await deactivate(alias);
    await eventually(async () => expect(await refusedOf(alias.email)).toEqual(refusal(alias.email)));
    expect(await refusedOf(detail)).toEqual(refusal(detail));
  });
});

describeWith(
  'users',
  'smtp',
  'emulator',
)('mail to an address in the spelling of its sender', () => {
  const { email } = sandboxUser('alice');
  const spelled = [email.replace('alice', 'Alice'), email.replace('alice', 'ALICE')];
  const compareCase = async (behaviour: 'strict' | 'lenient'): Promise<void> => {
    const answer = await fetch(`${deployed.sesApiUrl!}/v2/email/undocumented/recipient-case/${behaviour}`, { method: 'POST' });
    expect(answer.status).toBe(200);
  };
  afterAll(() => compareCase('strict'));

  test.each(['strict', 'lenient'] as const)('arrives once, whether or not receipt rules compare the case of local parts: %s', async (behaviour) => {
    await compareCase(behaviour);
    const alice = await jmapClient(await accessTokenOf('alice'));
    for (const to of spelled) {
      const subject = uniqueSubject(`To ${to}`);
      await sendBySmtp([to], { subject, text: 'Hello' });
      await receivedEmail(alice, 'inbox', subject);
      const [found] = await alice.call(['Email/query', { filter: { subject } }]);
      expect(found!['ids']).toHaveLength(1);
    }
  });
});
