import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AdminGetUserCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient, paginateScan, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectVersionsCommand, S3Client, type ListObjectVersionsCommandOutput } from '@aws-sdk/client-s3';
import type { AuditLog } from '../../contract/admin/audit.ts';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { startPushReceiver, type PushReceiver } from '../support/push-receiver.ts';
import { adminMachineToken } from './access-tokens.ts';
import { call, ok } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { bearer, eventually, httpRequest } from './http-requests.ts';
import { invokeLambda } from './invoke-lambda.ts';
import { core, identityIdOf, jmapClient, mailboxIdOf, receivedEmail, type JmapClient } from './jmap-client.ts';
import { rawMessageTo } from './outbox.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';
import { createUserWithAccount } from './user-with-account.ts';
import { closeAllSockets, openSocket } from './websocket-push-client.ts';

type Json = Record<string, unknown>;

const [dynamodb, s3] = [new DynamoDBClient(awsClientConfig(deployed)), new S3Client({ ...awsClientConfig(deployed), forcePathStyle: true })];
const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));

/** Places that name a person while the mail is used, and nobody after the removal. */
const removedPlaces = [
  'bucket media',
  'bucket messages',
  'bucket outgoing',
  'bucket search',
  'bucket snapshots',
  'bucket uploads',
  'directory account',
  'directory account-alias#',
  'directory account-member#',
  'directory address',
  'directory alias',
  'directory idp-identity',
  'directory member#',
  'directory user',
  'directory user-email',
  'mail account#',
  'mail connection#',
];

/** What may name a removed person, with the reason in docs/erasure.md. */
const keptPlaces = {
  'directory audit#': 'audit log',
  'directory removed-account': 'the id of a removed account with that of its owner',
  'directory admins': 'the id of a removed user with whether it was an admin',
  'mail push#event-source': 'which clients are notified',
  'mail push#creations': 'which clients are notified',
  'sending submission#': 'a sent message',
  'sending sent-mail-address#': 'index of sent mail',
  'sending sent-mail-message-id#': 'index of sent mail',
  'sending received#': 'a received message without its content',
  'sending received-by#': 'a received message without its content',
  'sending received-message-id#': 'a received message without its content',
  'sending feedback#': 'bounces and complaints',
  'sending feedback-identity#': 'bounces and complaints',
  'sending feedback-recipient#': 'bounces and complaints',
  'versions inbound': 'versions of removed objects: received mail',
};

/** What may also have the id of a removed account. */
const keptWithAccountId = {
  'mail push#subscription': 'the id of a deleted account',
  'mail push#socket': 'the id of a deleted account',
  'mail destroyed-mail-due': 'the id of a deleted account',
};

/** The kind of an item: its partition without ids, and for listeners the kind of the listener. */
const kindOf = (pk: string, sk: string): string =>
  `${pk.replace(/^acc_[^#]*#/, 'account#').replace(/#.*/, '#')}${pk.startsWith('push#') ? sk.replace(/#.*/, '') : ''}`;

/** The kinds of partitions, and the prefixes of objects and of their earlier versions, with an item or an object that has one of the words. */
const placesThatName = async (words: readonly string[]): Promise<string[]> => {
  const places = new Set<string>();
  const has = (text: string): boolean => words.some((word) => text.includes(word));
  for (const table of ['directory', 'mail', 'sending']) {
    for await (const { Items = [] } of paginateScan({ client: dynamodb }, { TableName: deployed.outputs[`${table}TableName`], ConsistentRead: true })) {
      for (const item of Items) if (has(JSON.stringify(item))) places.add(`${table} ${kindOf(item['pk']!.S!, item['sk']!.S!)}`);
    }
  }
  const Bucket = deployed.outputs['mailBucketName']!;
  for (let next: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {}; next;) {
    const {
      Versions = [],
      DeleteMarkers = [],
      NextKeyMarker,
      NextVersionIdMarker,
    }: ListObjectVersionsCommandOutput = await s3.send(new ListObjectVersionsCommand({ Bucket, ...next }));
    next = NextKeyMarker === undefined ? undefined : { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker };
    const placeOf = (key: string, isLatest = false): string => `${isLatest ? 'bucket' : 'versions'} ${key.split('/', 1)[0]}`;
    for (const { Key = '' } of DeleteMarkers) if (has(Key)) places.add(placeOf(Key));
    await mapConcurrently(
      Versions,
      async ({ Key = '', VersionId, IsLatest }) => {
        const object = await s3.send(new GetObjectCommand({ Bucket, Key, VersionId })).catch(() => undefined);
        // A body that nobody reads would fail in a later file, when its connection is closed.
        const content = (await object?.Body?.transformToString('latin1')) ?? '';
        if (has(Key) || has(content)) places.add(placeOf(Key, IsLatest));
      },
      { atOnce: 8 },
    );
  }
  return [...places].toSorted();
};

describeWith(
  'users',
  'smtp',
  'emulator',
  'adminHeadless',
)('an erased person', () => {
  const label = randomUUID().slice(0, 8);
  const localPart = `erased-${label}`;
  let admin: string;
  let receiver: PushReceiver;
  let person: Awaited<ReturnType<typeof createUserWithAccount>>;
  let colleague: Awaited<ReturnType<typeof createUserWithAccount>>;
  beforeAll(async () => {
    admin = await adminMachineToken();
    const { certificate, key } = deployed.trusted!;
    receiver = await startPushReceiver({ certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') });
    [person, colleague] = [await createUserWithAccount(admin, localPart), await createUserWithAccount(admin, `stays-${label}`)];
  });
  afterAll(async () => {
    closeAllSockets();
    await receiver.close();
    for (const client of [dynamodb, s3, cognito]) client.destroy();
  });

  const created = async (client: JmapClient, type: string, record: Json, accountId = client.accountId): Promise<Json> => {
    const [result] = await client.call([`${type}/set`, { accountId, create: { new: record } }]);
    expect(result).toMatchObject({ created: { new: {} } });
    return (result!['created'] as { new: Json }).new;
  };

  /** Subscribes to Web Push, and verifies the subscription. */
  const subscribe = async (client: JmapClient, token: string, path: string): Promise<void> => {
    const set = (args: Json) =>
      httpRequest(client.session.apiUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(token) },
        body: JSON.stringify({ using: [core], methodCalls: [['PushSubscription/set', args, 'p']] }),
      });
    await set({ create: { new: { deviceClientId: label, url: `https://127.0.0.1:${receiver.port}${path}`, types: null } } });
    const [push] = await receiver.pushes(path);
    const { pushSubscriptionId, verificationCode } = JSON.parse(push!.body.toString()) as { pushSubscriptionId: string; verificationCode: string };
    await set({ update: { [pushSubscriptionId]: { verificationCode } } });
  };

  const send = async (client: JmapClient, to: string, parameters: Json | null = null): Promise<void> => {
    const [drafts, identityId] = [await mailboxIdOf(client, 'drafts'), await identityIdOf(client, person.email)];
    const { id: emailId } = await created(client, 'Email', {
      mailboxIds: { [drafts]: true },
      from: [{ email: person.email }],
      to: [{ email: to }],
      subject: 'Lunch',
      textBody: [{ partId: '1', type: 'text/plain' }],
      bodyValues: { 1: { value: 'Hello' } },
    });
    await created(client, 'EmailSubmission', {
      identityId,
      emailId,
      envelope: { mailFrom: { email: person.email, parameters }, rcptTo: [{ email: to, parameters: null }] },
    });
  };

  /** Receives, sends, holds, destroys and searches mail, keeps contacts and uploads, and listens, with a member and an alias. */
  const live = async (): Promise<void> => {
    const { account, email, domain } = person;
    await ok(admin, 'aliases/CreateAlias', { account_id: account.account_id, local_part: `${localPart}-alias`, domain_id: domain.id });
    await ok(admin, 'accounts/PutAccountMember', { account_id: account.account_id, user_id: colleague.user.user_id, role: 'WRITE' });
    await ok(admin, 'accounts/PutAccountMember', { account_id: colleague.account.account_id, user_id: person.user.user_id, role: 'READ' });
    const [token, other] = [(await person.signIn()).access_token, (await colleague.signIn()).access_token];
    const [client, reader] = [await jmapClient(token), await jmapClient(other)];
    await subscribe(client, token, `/${label}/person`);
    await subscribe(reader, other, `/${label}/colleague`);
    for (const each of [token, other]) await (await openSocket(each)).enable();
    await httpRequest(`${deployed.jmapUrl}/eventsource?types=*&closeafter=state&ping=0`, { headers: bearer(token) });
    const [vacation] = await client.call(['VacationResponse/set', { update: { singleton: { isEnabled: true, textBody: 'Away.' } } }]);
    expect(vacation).toMatchObject({ notUpdated: null });
    const [kept, destroyed] = [uniqueSubject('Kept'), uniqueSubject('Destroyed')];
    for (const subject of [kept, destroyed])
      await sendBySmtp([email], { subject, text: 'A walrus', attachments: [{ filename: 'a.txt', content: 'Attached' }] });
    const { id } = await receivedEmail(client, 'inbox', destroyed, ['id', 'subject']);
    await receivedEmail(client, 'inbox', kept);
    expect((await client.call(['Email/set', { destroy: [id] }]))[0]).toMatchObject({ destroyed: [id] });
    expect((await client.call(['Email/query', { filter: { body: 'walrus' } }]))[0]).toMatchObject({ ids: [expect.any(String)] });
    const upload = (await client.upload(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'image/png')).json as { blobId: string };
    await created(client, 'ContactCard', { addressBookIds: { default: true }, media: { photo: { kind: 'photo', blobId: upload.blobId } } });
    // More than a snapshot's share of the log.
    for (let part = 0; part < 8; part++) {
      const create = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${index}`, { name: `Box ${part}-${index} ${'x'.repeat(150)}` }]));
      expect((await client.call(['Mailbox/set', { create }]))[0]).toMatchObject({ notCreated: null });
    }
    await send(client, `friend-${label}@elsewhere.test`);
    await rawMessageTo(`friend-${label}@elsewhere.test`);
    await send(client, 'bounce@simulator.amazonses.com');
    await send(client, `later-${label}@elsewhere.test`, { HOLDFOR: '3600' });
  };

  /** Waits until the account's removal is in the audit log. */
  const removed = (accountId: string): Promise<void> =>
    eventually(async () => {
      const { audit_logs: logs } = await ok<{ audit_logs: AuditLog[] }>(admin, 'audit/ListAuditLogs', {
        operation: 'accounts/DeleteAccount',
        actor: { actor_type: 'SYSTEM' },
      });
      expect(logs.filter(({ entity_id: id }) => id === accountId).map(({ metadata }) => metadata?.['removal'])).toContain('complete');
    });

  /** Deletes the user and ends the time in which an admin could restore the user. */
  const removeUser = async (): Promise<void> => {
    const { user_id: userId } = person.user;
    await ok(admin, 'users/DeleteUser', { user_id: userId });
    await dynamodb.send(
      new UpdateItemCommand({
        TableName: deployed.outputs['directoryTableName'],
        Key: { pk: { S: directoryPartitions.userRemovals }, sk: { S: userId } },
        UpdateExpression: 'SET removal_at = :past',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':past': { S: '2000-01-01T00:00:00.000Z' } },
      }),
    );
    await invokeLambda('account-removal', { sweep: true });
    expect((await call(admin, 'users/GetUser', { user_id: userId })).status).toBe(404);
  };

  test('is named in what docs/erasure.md lists, and nowhere else', async () => {
    const {
      account: { account_id: accountId, name },
      user,
    } = person;
    const { sub, username } = user.idp_identities![0]!;
    const personal = [user.user_id, sub, localPart];
    await live();
    expect(await placesThatName([...personal, accountId])).toEqual(expect.arrayContaining(removedPlaces));
    await ok(admin, 'accounts/DeleteAccount', { account_id: accountId });
    await ok(admin, 'accounts/RemoveAccountNow', { account_id: accountId, name });
    await removed(accountId);
    await removeUser();
    // The stream of the directory removes the person's subscriptions a little later.
    const unexpected = async (words: readonly string[], kept: object) => (await placesThatName(words)).filter((place) => !(place in kept));
    await eventually(async () => expect(await unexpected(personal, keptPlaces)).toEqual([]), 2000);
    expect(await unexpected([accountId], { ...keptPlaces, ...keptWithAccountId })).toEqual([]);
    await expect(cognito.send(new AdminGetUserCommand({ UserPoolId: deployed.outputs['userPoolId'], Username: username }))).rejects.toThrow('does not exist');
  });
});
