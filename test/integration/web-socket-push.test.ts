import { randomUUID } from 'node:crypto';
import { DynamoDBClient, QueryCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Account } from '../../contract/admin/accounts.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { accessTokenOf, adminMachineToken } from './access-tokens.ts';
import { ok } from './admin-calls.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, openMailbox, type JmapClient } from './jmap-client.ts';
import { sendMail, uniqueSubject } from './send-by-smtp.ts';
import { createUserWithAccount } from './user-with-account.ts';
import { announcesState, closeAllSockets, openSocket, pushedState, type PushClient } from './websocket-push-client.ts';

const label = randomUUID().slice(0, 8);

afterEach(closeAllSockets);

const stateOf = async (client: JmapClient, type: 'Email' | 'Mailbox' | 'Thread', accountId = client.accountId): Promise<string> =>
  (await client.call([`${type}/get`, { accountId, ids: [] }]))[0]!['state'] as string;

describeWith('users', 'mail')('push of a change to open WebSockets', () => {
  let alice: JmapClient;
  let token: string;
  beforeAll(async () => {
    token = await accessTokenOf('alice');
    alice = await jmapClient(token);
  });

  const enabled = async (): Promise<PushClient> => {
    const client = await openSocket(token);
    await client.enable();
    return client;
  };

  test('pushes received mail as a StateChange and as a stateChange frame, with the states that /get returns', async () => {
    const [client, own] = [await enabled(), await openSocket(token)];
    own.send({ subscribe: { id: 's1', accountId: alice.accountId, types: ['Email', 'EmailDelivery'] } });
    await own.receive((frame) => 'subscribed' in frame);
    const before = client.frames.length;
    await sendMail([sandboxUser('alice').email], { subject: uniqueSubject('Pushed'), text: 'Hello' });
    const frame = await client.receive((each) => client.frames.indexOf(each) >= before && pushedState(each, alice.accountId, 'EmailDelivery') !== undefined);
    expect(Object.keys((frame['changed'] as Record<string, object>)[alice.accountId]!).sort()).toEqual([
      'Email',
      'EmailDelivery',
      'Mailbox',
      'Quota',
      'Thread',
    ]);
    expect([pushedState(frame, alice.accountId, 'Email'), pushedState(frame, alice.accountId, 'Mailbox')]).toEqual([
      await stateOf(alice, 'Email'),
      await stateOf(alice, 'Mailbox'),
    ]);
    expect(await own.receive((each) => 'stateChange' in each)).toEqual({
      stateChange: {
        accountId: alice.accountId,
        changes: { Email: pushedState(frame, alice.accountId, 'Email'), EmailDelivery: pushedState(frame, alice.accountId, 'EmailDelivery') },
      },
    });
  });

  test('pushes Email/set and Mailbox/set to every socket of the user', async () => {
    const clients = [await enabled(), await enabled()];
    const [email] = (await openMailbox(alice, 'inbox')).emails;
    const [emailSet] = await alice.call(['Email/set', { update: { [email!.id]: { [`keywords/push-${label}`]: true } } }]);
    const [mailboxSet] = await alice.call(['Mailbox/set', { create: { new: { name: `Push ${label}` } } }]);
    for (const client of clients) {
      await client.receive(announcesState(alice.accountId, 'Email', emailSet!['newState'] as string));
      const frame = await client.receive(announcesState(alice.accountId, 'Mailbox', mailboxSet!['newState'] as string));
      expect(pushedState(frame, alice.accountId, 'EmailDelivery')).toBeUndefined();
    }
  });
});

describeWith('users', 'credentials')('who receives pushes', () => {
  let admin: string;
  let one: Awaited<ReturnType<typeof createUserWithAccount>>;
  let other: Awaited<ReturnType<typeof createUserWithAccount>>;
  let tokens: { one: string; other: string };
  const dynamodb = new DynamoDBClient(awsClientConfig(deployed));
  const createMailbox = async (client: JmapClient, accountId: string, name: string): Promise<string> =>
    (await client.call(['Mailbox/set', { accountId, create: { new: { name: `${name} ${label}` } } }]))[0]!['newState'] as string;

  beforeAll(async () => {
    admin = await adminMachineToken();
    [one, other] = [await createUserWithAccount(admin, `push-one-${label}`), await createUserWithAccount(admin, `push-other-${label}`)];
    tokens = { one: (await one.signIn()).access_token, other: (await other.signIn()).access_token };
  });
  afterAll(() => dynamodb.destroy());

  test('a member receives pushes of an account from being added until being removed', async () => {
    const { account_id: shared } = one.account satisfies Account;
    const owner = await jmapClient(tokens.one);
    const [first, second] = [await openSocket(tokens.one), await openSocket(tokens.other)];
    await Promise.all([first.enable(), second.enable()]);
    await ok(admin, 'accounts/PutAccountMember', { account_id: shared, user_id: other.user.user_id, role: 'READ' });
    const asMember = await createMailbox(owner, shared, 'member');
    await Promise.all([first, second].map((client) => client.receive(announcesState(shared, 'Mailbox', asMember))));
    await ok(admin, 'accounts/DeleteAccountMember', { account_id: shared, user_id: other.user.user_id });
    const afterwards = await createMailbox(owner, shared, 'member no more');
    await first.receive(announcesState(shared, 'Mailbox', afterwards));
    const own = await createMailbox(await jmapClient(tokens.other), other.account.account_id, 'own');
    await second.receive(announcesState(other.account.account_id, 'Mailbox', own));
    expect(second.frames.filter(announcesState(shared, 'Mailbox', afterwards))).toEqual([]);
  });

  test('an expired token closes the socket with 401, even when nothing changes', async () => {
    const client = await openSocket(tokens.one);
    await client.enable();
    const listeners = async (): Promise<string[]> => {
      const { Items = [] } = await dynamodb.send(
        new QueryCommand({
          TableName: deployed.outputs['mailTableName'],
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: `push#${one.user.user_id}` } },
          ConsistentRead: true,
        }),
      );
      return Items.map((item) => item['sk']!.S!);
    };
    const past = { N: String(Math.floor(Date.now() / 1000) - 1) };
    for (const listener of await listeners()) {
      for (const key of [
        { pk: `push#${one.user.user_id}`, sk: listener },
        { pk: `connection#${listener.replace('socket#', '')}`, sk: 'connection' },
      ]) {
        await dynamodb.send(
          new UpdateItemCommand({
            TableName: deployed.outputs['mailTableName'],
            Key: { pk: { S: key.pk }, sk: { S: key.sk } },
            UpdateExpression: 'SET expiresAt = :past',
            ExpressionAttributeValues: { ':past': past },
          }),
        );
      }
    }
    await client.closed();
    expect(client.frames.at(-1)).toMatchObject({ '@type': 'RequestError', status: 401 });
    await eventually(async () => expect(await listeners()).toEqual([]));
  });

  test('deactivation of a user closes the sockets with 403, even when nothing changes', async () => {
    const [client, others] = [await openSocket(tokens.one), await openSocket(tokens.other)];
    const withoutPush = await openSocket(tokens.one);
    await Promise.all([client.enable(), others.enable()]);
    await ok(admin, 'users/UpdateUser', { user_id: one.user.user_id, is_active: false });
    for (const each of [client, withoutPush]) {
      await each.closed();
      expect(each.frames.at(-1)).toMatchObject({ '@type': 'RequestError', status: 403 });
    }
    const own = await createMailbox(await jmapClient(tokens.other), other.account.account_id, 'still');
    await others.receive(announcesState(other.account.account_id, 'Mailbox', own));
  });
});
