import { randomUUID } from 'node:crypto';
import { createAdminClient } from '../../contract/client.ts';
import { confirmationPage } from '../../contract/jmap/forwarding.ts';
import { sendRaw } from '../../sandbox/clients/smtp-client.ts';
import { accessTokenOf, adminMachineToken } from './access-tokens.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient } from './jmap-client.ts';
import { messagesTo, outboxText, rawMessage } from './outbox.ts';
import { composeMessage } from './send-by-smtp.ts';
import { createUserWithAccount } from './user-with-account.ts';

describeWith(
  'users',
  'smtp',
  'emulator',
)('an account that forwards its mail', () => {
  const admin = createAdminClient({ baseUrl: deployed.adminApiUrl, token: adminMachineToken });
  const label = randomUUID().slice(0, 8);
  const friend = `friend-${label}@elsewhere.test`;
  const people: Awaited<ReturnType<typeof createUserWithAccount>>[] = [];
  const person = (index: number) => people[index]!;

  beforeAll(async () => {
    const token = await adminMachineToken();
    for (const name of ['ada', 'bob', 'cleo']) people.push(await createUserWithAccount(token, `forward-${name}-${label}`));
  });
  afterAll(async () => {
    for (const { account, user } of people) {
      await admin.accounts.DeleteAccount({ account_id: account.account_id });
      await admin.users.DeleteUser({ user_id: user.user_id });
    }
  });

  const sendAs = async (to: string, raw: Parameters<typeof sendRaw>[2], from = `sender-${randomUUID()}@elsewhere.test`) =>
    eventually(async () => expect((await sendRaw(deployed.smtp!, { from, to: [to] }, raw)).rejected).toEqual([]));
  /** Sends a message by SMTP. @returns its Message-ID and its subject. */
  const send = async (to: string) => {
    const [id, subject, from] = [`${randomUUID()}@elsewhere.test`, `Forward ${randomUUID()}`, `sender-${randomUUID()}@elsewhere.test`];
    await sendAs(to, await composeMessage({ from: `Ann Other <${from}>`, to: [to], subject, text: 'Hello', messageId: `<${id}>` }), from);
    return { id, subject };
  };
  const received = async (message_id: string) => (await admin['mail-feedback'].ListReceivedMessages({ message_id })).messages;
  /** What became of the messages with a Message-ID, for each address. */
  const outcomes = async (message_id: string) =>
    Object.fromEntries((await received(message_id)).flatMap(({ recipients }) => recipients.map(({ address, outcome }) => [address, outcome])));
  const emailsOf = async ({ account }: (typeof people)[number]) =>
    (await admin.accounts.GetAccount({ account_id: account.account_id })).account.quota?.emails_used;
  const forward = (from: (typeof people)[number], addresses: readonly string[], keep_copy = true) =>
    admin.aliases.PutForwarding({ account_id: from.account.account_id, addresses: [...addresses], keep_copy });
  /** Opens the page of the newest link to an address. */
  const linkTo = async (address: string): Promise<URL> => {
    const text = await eventually(async () => {
      const links = (await messagesTo(address)).filter(({ subject }) => subject.startsWith('Confirm'));
      expect(links).not.toEqual([]);
      return outboxText(links[0]!.id);
    });
    return new URL(/https?:\/\/\S+/.exec(text)![0]);
  };
  const press = (link: URL) => {
    const body = new URLSearchParams({ [confirmationPage.token]: link.searchParams.get(confirmationPage.token)! });
    return fetch(new URL(link.pathname, link), { method: 'POST', body });
  };
  const forwardedTo = async (address: string, subject: string) => (await messagesTo(address)).filter((message) => message.subject === subject);

  test('sends it to an account here at once, and outside when the owner of the address has confirmed it', async () => {
    const [ada, bob] = [person(0), person(1)];
    const { forwarding } = await forward(ada, [bob.email, friend]);
    expect(forwarding.addresses).toMatchObject([
      { email: bob.email, account_id: bob.account.account_id, is_confirmed: true },
      { email: friend, is_confirmed: false },
    ]);
    const link = await linkTo(friend);
    const first = await send(ada.email);
    await eventually(async () => expect(await outcomes(first.id)).toEqual({ [ada.email]: 'DELIVERED', [bob.email]: 'DELIVERED' }));

    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(ada.email)]);
    expect((await admin.aliases.GetForwarding({ account_id: ada.account.account_id })).forwarding.addresses[1]).toMatchObject({ is_confirmed: false });
    expect((await press(link)).status).toBe(200);
    const second = await send(ada.email);
    await eventually(async () => expect(await outcomes(second.id)).toEqual({ [ada.email]: 'DELIVERED', [bob.email]: 'DELIVERED', [friend]: 'FORWARDED' }));
    const [message] = await eventually(async () => {
      const found = await forwardedTo(friend, second.subject);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(await rawMessage(message!.id)).toMatch(/^From: .*via/m);
    expect(await forwardedTo(friend, first.subject)).toEqual([]);
    expect([await emailsOf(ada), await emailsOf(bob)]).toEqual([2, 2]);

    // A robot outside sends it back.
    await sendAs(ada.email, Buffer.from(await rawMessage(message!.id)), friend);
    const back = async () => (await admin['mail-feedback'].ListReceivedMessages({ address: friend })).messages.filter(({ sender }) => sender === friend);
    await eventually(async () =>
      expect((await back())[0]?.recipients.find(({ address }) => address === ada.email)).toMatchObject({
        outcome: 'DROPPED',
        reason: 'the account has the message, and forwarded it',
      }),
    );
    const last = await send(ada.email);
    await eventually(async () => expect((await forwardedTo(friend, last.subject)).length).toBe(1));
    expect((await forwardedTo(friend, second.subject)).length).toBe(1);
    expect([await emailsOf(ada), await emailsOf(bob)]).toEqual([3, 3]);
  });

  test('without a copy can restore what it forwarded', async () => {
    const [bob, cleo] = [person(1), person(2)];
    const account_id = cleo.account.account_id;
    await forward(cleo, [bob.email], false);
    const before = await emailsOf(bob);
    const { id, subject } = await send(cleo.email);
    await eventually(async () => expect(await outcomes(id)).toEqual({ [cleo.email]: 'FORWARDED', [bob.email]: 'DELIVERED' }));
    expect([await emailsOf(cleo), await emailsOf(bob)]).toEqual([0, before! + 1]);
    const { emails } = await admin.accounts.ListDestroyedEmails({ account_id });
    expect(emails.map((email) => email.subject)).toEqual([subject]);
    expect(await admin.accounts.RestoreEmails({ account_id, email_ids: emails.map(({ email_id }) => email_id) })).toMatchObject({ restored: 1 });
    expect(await emailsOf(cleo)).toBe(1);
  });

  test('ends in a circle of two accounts without copies, in one of them', async () => {
    const [bob, cleo] = [person(1), person(2)];
    await forward(cleo, [bob.email], false);
    await forward(bob, [cleo.email], false);
    const before = [(await emailsOf(bob))!, (await emailsOf(cleo))!] as const;
    const { id } = await send(cleo.email);
    await eventually(async () => expect(await outcomes(id)).toEqual({ [cleo.email]: 'FORWARDED', [bob.email]: 'DELIVERED' }));
    expect([await emailsOf(bob), await emailsOf(cleo)]).toEqual([before[0] + 1, before[1]]);
  });

  test('is set by its owner with a mail client, and ended by an admin', async () => {
    const client = await jmapClient(await accessTokenOf('alice'));
    const other = `other-${label}@elsewhere.test`;
    const [set] = await client.call(['Forwarding/set', { update: { singleton: { addresses: [other], keepsCopy: true } } }]);
    expect(set).toMatchObject({ notUpdated: null });
    const [get] = await client.call(['Forwarding/get', { ids: null }]);
    expect(get).toMatchObject({ list: [{ id: 'singleton', addresses: [other], keepsCopy: true, unconfirmed: [other] }] });
    expect((await press(await linkTo(other))).status).toBe(200);
    const [confirmed] = await client.call(['Forwarding/get', { ids: null }]);
    expect(confirmed).toMatchObject({ list: [{ unconfirmed: [] }] });
    const { forwardings } = await admin.aliases.ListForwardings({ page_size: 1000 });
    const [own] = forwardings.filter(({ addresses }) => addresses.some(({ email }) => email === other));
    await admin.aliases.DeleteForwarding({ account_id: own!.account_id });
    const [ended] = await client.call(['Forwarding/get', { ids: null }]);
    expect(ended).toMatchObject({ list: [{ addresses: [] }] });
  });
});
