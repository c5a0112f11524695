import { randomUUID } from 'node:crypto';
import { Route53Client } from '@aws-sdk/client-route-53';
import type { Alias } from '../../contract/admin/aliases.ts';
import { createAdminClient } from '../../contract/client.ts';
import { sendRaw } from '../../sandbox/clients/smtp-client.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { adminMachineToken } from './access-tokens.ts';
import { deployed, describeWith } from './deployment.ts';
import { createHostedZone } from './hosted-zone.ts';
import { eventually } from './http-requests.ts';
import { primaryDomain } from './primary-domain.ts';
import { composeMessage } from './send-by-smtp.ts';
import { createUserWithAccount } from './user-with-account.ts';

/** The test string of spam scanners, in pieces, so that scanners do not report this file. */
const spam = ['XJS*C4JDBQADN1.NSBN3*2IDNEN', 'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL', 'C.34X'].join('*');

describeWith(
  'users',
  'smtp',
  'emulator',
)('the record of a received message', () => {
  const admin = createAdminClient({ baseUrl: deployed.adminApiUrl, token: adminMachineToken });
  const label = randomUUID().slice(0, 8);
  let account: Awaited<ReturnType<typeof createUserWithAccount>>;
  let full: Awaited<ReturnType<typeof createUserWithAccount>>;
  let domain: Awaited<ReturnType<typeof primaryDomain>>;
  let second: Alias;
  let inactive: Alias;

  const createAlias = async (local_part: string) =>
    (await admin.aliases.CreateAlias({ account_id: account.account.account_id, local_part, domain_id: domain.id })).alias;

  beforeAll(async () => {
    const token = await adminMachineToken();
    domain = await primaryDomain(token);
    account = await createUserWithAccount(token, `received-${label}`);
    full = await createUserWithAccount(token, `received-full-${label}`);
    await admin.accounts.UpdateAccount({ account_id: full.account.account_id, max_emails: 1 });
    second = await createAlias(`received-second-${label}`);
    inactive = await createAlias(`received-${label}+old`);
    await admin.aliases.UpdateAlias({ alias_id: inactive.alias_id, is_active: false });
  });
  afterAll(async () => {
    for (const {
      account: { account_id },
      user: { user_id },
    } of [account, full]) {
      await admin.accounts.DeleteAccount({ account_id });
      await admin.users.DeleteUser({ user_id });
    }
  });

  /** Sends a message by SMTP from a new address, when SES accepts its recipients. */
  const send = async (to: readonly string[], { text = 'Hello', author = '' } = {}) => {
    const [id, from] = [randomUUID(), `sender-${randomUUID()}@elsewhere.test`];
    const since = new Date(Date.now() - 1000).toISOString();
    const raw = await composeMessage({ from: author || from, to: [...to], subject: `Received ${id}`, text, messageId: `<${id}@elsewhere.test>` });
    await eventually(async () => expect((await sendRaw(deployed.smtp!, { from, to: [...to] }, raw)).rejected).toEqual([]));
    return { from, message_id: `${id}@elsewhere.test`, since, to: to[0]! };
  };

  /** Waits for the outcomes of the recipients, and finds the message in each way. @returns the recipients. */
  const expectOutcomes = async ({ from, message_id, since, to }: Awaited<ReturnType<typeof send>>, outcomes: readonly string[]) => {
    const listed = await eventually(async () => {
      const { messages } = await admin['mail-feedback'].ListReceivedMessages({ message_id });
      expect(messages.flatMap(({ recipients }) => recipients.map(({ outcome }) => outcome))).toEqual(outcomes);
      return messages[0]!;
    });
    for (const request of [
      { address: from },
      { address: to },
      { since },
      { domain: to.split('@')[1]!, since },
      { subject_contains: message_id.split('@')[0]! },
    ]) {
      // A busy deployment asks to try again.
      await eventually(async () => {
        const { messages } = await admin['mail-feedback'].ListReceivedMessages({ ...request, page_size: 50 });
        expect(messages.map(({ received_id }) => received_id)).toContain(listed.received_id);
      });
    }
    return (await admin['mail-feedback'].GetReceivedMessage({ received_id: listed.received_id })).message.recipients;
  };

  test('is DELIVERED, with the mailbox of the Email, and DUPLICATE for a second address of the account', async () => {
    const recipients = await expectOutcomes(await send([account.email, second.email]), ['DELIVERED', 'DUPLICATE']);
    expect(recipients[0]).toMatchObject({ account_id: account.account.account_id, email: { mailboxes: ['Inbox'], moved: false } });
  });

  test('is JUNK for spam, and for a message that fails the DMARC policy of its author', async () => {
    expect(await expectOutcomes(await send([account.email], { text: spam }), ['JUNK'])).toMatchObject([{ reason: 'SPAM', email: { mailboxes: ['Junk'] } }]);
    const bank = `bank-${label}.example`;
    const route53 = new Route53Client(awsClientConfig(deployed));
    await createHostedZone(route53, bank, [{ name: `_dmarc.${bank}`, type: 'TXT', value: '"v=DMARC1; p=reject"' }]);
    route53.destroy();
    const author = `service@${bank}`;
    expect(await expectOutcomes(await send([account.email], { author }), ['JUNK'])).toMatchObject([{ reason: 'DMARC' }]);
    expect((await admin['mail-feedback'].ListReceivedMessages({ address: author })).messages).toHaveLength(1);
  });

  /** Fills the account for one message. Either this message or the invitation of the account's owner takes the only place. */
  const fill = async () => {
    const first = await send([full.email]);
    await eventually(async () => {
      const { incoming } = await admin.accounts.FindAddress({ address: full.email });
      expect([incoming, (await admin['mail-feedback'].ListReceivedMessages({ message_id: first.message_id })).messages.length]).toEqual(['WAITS_FOR_ROOM', 1]);
    });
  };

  test('is WAITS_FOR_ROOM for a full account, as FindAddress says', async () => {
    await fill();
    expect(await expectOutcomes(await send([full.email]), ['WAITS_FOR_ROOM'])).toMatchObject([{ next_attempt: expect.any(String) }]);
  });

  test('is BOUNCED for an inactive alias that SES cannot refuse, as FindAddress says', async () => {
    await expectOutcomes(await send([inactive.email]), ['BOUNCED']);
    expect(await admin.accounts.FindAddress({ address: inactive.email })).toMatchObject({
      kind: 'ALIAS',
      incoming: 'REFUSED_INACTIVE',
      inactive_since: expect.any(String),
    });
  });

  test('has an outcome for each recipient of one message, and for the copy that an alias requests', async () => {
    await fill();
    const bcc = `copy-${label}@elsewhere.test`;
    await admin.aliases.UpdateAlias({ alias_id: second.alias_id, bcc, can_send_from: true });
    const recipients = await expectOutcomes(await send([account.email, inactive.email, full.email, second.email]), [
      'DELIVERED',
      'BOUNCED',
      'WAITS_FOR_ROOM',
      'DUPLICATE',
      'COPIED',
    ]);
    expect(recipients.at(-1)).toMatchObject({ address: bcc, copy_of: second.email });
    await admin.aliases.UpdateAlias({ alias_id: second.alias_id, bcc: '' });
  });

  test('does not exist for an address that SES refuses, but FindAddress says why', async () => {
    const [from, to] = [`sender-${label}@elsewhere.test`, `nobody-${label}@${domain.domain}`];
    const { rejected } = await sendRaw(deployed.smtp!, { from, to: [to] }, await composeMessage({ from, to, subject: 'Hi', text: 'Hello' }));
    expect(rejected).toHaveLength(1);
    for (const address of [from, to]) expect((await admin['mail-feedback'].ListReceivedMessages({ address })).messages).toEqual([]);
    expect(await admin.accounts.FindAddress({ address: to.toUpperCase() })).toMatchObject({ kind: 'UNKNOWN', incoming: 'REFUSED_UNKNOWN' });
  });
});
