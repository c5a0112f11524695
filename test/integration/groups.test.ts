import { randomUUID } from 'node:crypto';
import type { Group } from '../../contract/admin/aliases.ts';
import { createAdminClient } from '../../contract/client.ts';
import { sendRaw } from '../../sandbox/clients/smtp-client.ts';
import { accessTokenOf, adminMachineToken } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { invokeLambda } from './invoke-lambda.ts';
import { identityIdOf, jmapClient, mailboxIdOf } from './jmap-client.ts';
import { messagesTo, rawMessage, rawMessageTo } from './outbox.ts';
import { primaryDomain } from './primary-domain.ts';
import { composeMessage } from './send-by-smtp.ts';
import { createUserWithAccount } from './user-with-account.ts';

describeWith(
  'users',
  'smtp',
  'emulator',
)('mail for groups and catch-alls', () => {
  const admin = createAdminClient({ baseUrl: deployed.adminApiUrl, token: adminMachineToken });
  const label = randomUUID().slice(0, 8);
  const people: Awaited<ReturnType<typeof createUserWithAccount>>[] = [];
  const groups: Group[] = [];
  let domain: Awaited<ReturnType<typeof primaryDomain>>;
  const outside = Array.from({ length: 34 }, (_, number) => `outside-${number}-${label}@elsewhere.test`);

  const createGroup = async (name: string, addresses: readonly string[]) => {
    const { group } = await admin.aliases.CreateGroup({ local_part: `${name}-${label}`, domain_id: domain.id, name });
    groups.push(group);
    for (let from = 0; from < addresses.length; from += 25) {
      await admin.aliases.AddGroupMembers({ group_id: group.group_id, addresses: addresses.slice(from, from + 25) });
    }
    return group;
  };

  beforeAll(async () => {
    const token = await adminMachineToken();
    domain = await primaryDomain(token);
    for (const name of ['ada', 'bob', 'cleo']) people.push(await createUserWithAccount(token, `group-${name}-${label}`));
  });
  afterAll(async () => {
    await admin.aliases.DeleteCatchAll({ domain_id: domain.id });
    for (const { group_id } of groups) await admin.aliases.DeleteGroup({ group_id });
    for (const { account, user } of people) {
      await admin.accounts.DeleteAccount({ account_id: account.account_id });
      await admin.users.DeleteUser({ user_id: user.user_id });
    }
  });

  /** Sends a message by SMTP, when SES accepts its recipients. @returns its Message-ID and its subject. */
  const send = async (to: readonly string[], from = `sender-${randomUUID()}@elsewhere.test`) => {
    const [id, subject] = [`${randomUUID()}@elsewhere.test`, `Group ${randomUUID()}`];
    const raw = await composeMessage({ from: `Ann Other <${from}>`, to: [...to], subject, text: 'Hello', messageId: `<${id}>` });
    await eventually(async () => expect((await sendRaw(deployed.smtp!, { from, to: [...to] }, raw)).rejected).toEqual([]));
    return { id, subject };
  };
  /** What became of a message for each address. */
  const outcomes = async (message_id: string) => {
    const { messages } = await admin['mail-feedback'].ListReceivedMessages({ message_id });
    return Object.fromEntries(messages.flatMap(({ recipients }) => recipients.map(({ address, outcome }) => [address, outcome])));
  };
  const each = (addresses: readonly string[], outcome: string) => Object.fromEntries(addresses.map((address) => [address, outcome]));

  test('a message to a group of 40 is in each mailbox once and goes to each member outside once', async () => {
    const [ada, bob, cleo] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]];
    const inner = await createGroup('inner', [cleo.email, ada.email, outside[0]!, outside[33]!]);
    const sales = await createGroup('sales', [ada.email, bob.email, inner.email, ...outside.slice(0, 33)]);
    expect(sales.email).toBe(`sales-${label}@${domain.domain}`);
    const { id, subject } = await send([sales.email, ada.email]);
    await eventually(async () =>
      expect(await outcomes(id)).toEqual({ [sales.email]: 'GROUP', ...each([ada.email, bob.email, cleo.email], 'DELIVERED'), ...each(outside, 'FORWARDED') }),
    );
    for (const { account } of people) expect((await admin.accounts.GetAccount({ account_id: account.account_id })).account.quota?.emails_used).toBe(1);
    await eventually(async () => {
      const found = (await Promise.all(outside.map(messagesTo))).map((messages) => messages.filter((message) => message.subject === subject));
      expect(found.map((messages) => messages.length)).toEqual(outside.map(() => 1));
      const raw = await rawMessage(found[0]![0]!.id);
      expect(raw).toMatch(new RegExp(`^From: Ann Other via sales <${sales.email}>\\r?$`, 'm'));
      expect(raw).toMatch(/^Reply-To: Ann Other\s+<sender-/m);
      for (const address of outside) expect(raw).not.toContain(address);
    });
    const { receivers } = await admin.accounts.FindAddress({ address: sales.email });
    expect(receivers.map(({ email }) => email)).toEqual([...people.map(({ email }) => email), ...outside].toSorted());
  });

  test('two groups and a robot outside that send everything to each other end, with one copy for each', async () => {
    const [, bob, cleo] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]];
    const robot = `robot-${label}@elsewhere.test`;
    const [one, two] = [await createGroup('one', [bob.email, robot]), await createGroup('two', [cleo.email, robot])];
    const emailsOf = async () =>
      Promise.all([bob, cleo].map(async ({ account }) => (await admin.accounts.GetAccount({ account_id: account.account_id })).account.quota!.emails_used));
    const before = await emailsOf();
    const toRobot = async (count: number) =>
      eventually(async () => {
        const messages = await messagesTo(robot);
        expect(messages).toHaveLength(count);
        return messages[0]!.id;
      });
    /** The robot sends what it got to a group. @returns the outcome for the group. */
    const sendOn = async (id: string, group: Group, seen: number) => {
      await sendRaw(deployed.smtp!, { from: robot, to: [group.email] }, Buffer.from(await rawMessage(id)));
      return eventually(async () => {
        const { messages } = await admin['mail-feedback'].ListReceivedMessages({ address: robot });
        const found = messages.filter(({ sender }) => sender === robot);
        expect(found).toHaveLength(seen);
        return found[0]!.recipients.find(({ address }) => address === group.email);
      });
    };
    await send([one.email]);
    const first = await toRobot(1);
    expect(await sendOn(first, two, 1)).toMatchObject({ outcome: 'GROUP' });
    const second = await toRobot(2);
    expect(await sendOn(second, one, 2)).toMatchObject({ outcome: 'DROPPED', reason: 'loop' });
    expect(await sendOn(second, two, 3)).toMatchObject({ outcome: 'DROPPED', reason: 'loop' });
    expect((await messagesTo(robot)).length).toBe(2);
    expect(await emailsOf()).toEqual(before.map((count) => count + 1));
  });

  test('a group of members refuses others, who get a bounce', async () => {
    const team = await createGroup('team', [people[0]!.email]);
    await admin.aliases.UpdateGroup({ group_id: team.group_id, writers: 'MEMBERS' });
    const { id } = await send([team.email]);
    await eventually(async () => expect(Object.keys(await outcomes(id))).toEqual([team.email]));
    expect(['BOUNCE_DUE', 'BOUNCED', 'DROPPED']).toContain((await outcomes(id))[team.email]);
  });

  test('a member sends as a group that lets its members', async () => {
    const client = await jmapClient(await accessTokenOf('alice'));
    const desk = await createGroup('desk', [sandboxUser('alice').email]);
    await admin.aliases.UpdateGroup({ group_id: desk.group_id, members_may_send: true });
    await eventually(async () => {
      await invokeLambda('identity-sync');
      expect(await identityIdOf(client, desk.email)).toBe(desk.group_id);
    });
    const [to, subject] = [`customer-${label}@elsewhere.test`, `Desk ${randomUUID()}`];
    const content = { mailboxIds: { [await mailboxIdOf(client, 'drafts')]: true }, from: [{ email: desk.email }], to: [{ email: to }], subject };
    const body = { textBody: [{ partId: '1', type: 'text/plain' }], bodyValues: { 1: { value: 'Hello' } } };
    const [written, accepted] = await client.call(
      ['Email/set', { create: { draft: { ...content, ...body } } }],
      ['EmailSubmission/set', { create: { sending: { emailId: '#draft', identityId: desk.group_id } } }],
    );
    expect([written, accepted]).toMatchObject([{ notCreated: null }, { notCreated: null }]);
    expect(await rawMessageTo(to)).toMatch(new RegExp(`^From: .*${desk.email}`, 'm'));
  });

  test('a catch-all takes mail for addresses that do not exist, beside those that do', async () => {
    const [ada, bob] = people as [(typeof people)[0], (typeof people)[0]];
    await admin.aliases.PutCatchAll({ domain_id: domain.id, address: bob.email });
    const invented = `invented-${label}@${domain.domain}`;
    const { id } = await send([invented, ada.email]);
    await eventually(async () => expect(await outcomes(id)).toEqual(each([invented, ada.email], 'DELIVERED')));
    const { messages } = await admin['mail-feedback'].ListReceivedMessages({ message_id: id });
    expect(messages[0]!.recipients.find(({ address }) => address === invented)?.account_id).toBe(bob.account.account_id);
    await admin.aliases.DeleteCatchAll({ domain_id: domain.id });
    // SES refuses such mail again, also for the tests that follow.
    const raw = await composeMessage({ from: 'x@elsewhere.test', to: [invented], subject: 'Late', text: 'Hello' });
    await eventually(async () => expect((await sendRaw(deployed.smtp!, { from: 'x@elsewhere.test', to: [invented] }, raw)).rejected).toHaveLength(1));
  });
});
