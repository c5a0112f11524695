import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Route53Client } from '@aws-sdk/client-route-53';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import {
  claimsOf,
  decrypted,
  newKeys,
  publicKeys,
  startPushReceiver,
  type PushReceiver,
  type ReceivedPush,
  type ReceiverKeys,
} from '../support/push-receiver.ts';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { createHostedZone, type HostedZone } from './hosted-zone.ts';
import { bearer, eventually, httpRequest } from './http-requests.ts';
import { core, jmapClient, type Invocation, type JmapClient } from './jmap-client.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';

type Json = Record<string, unknown>;

const label = randomUUID().slice(0, 8);
/** A host name in the sandbox's certificate. */
const host = 'push.loopback.test';

describeWith(
  'users',
  'smtp',
  'emulator',
)('Web Push', () => {
  let receiver: PushReceiver;
  const route53 = new Route53Client(awsClientConfig(deployed));
  let zone: HostedZone;
  let alice: JmapClient;
  let token: string;
  const createdIds: string[] = [];

  beforeAll(async () => {
    const { certificate, key } = deployed.trusted!;
    receiver = await startPushReceiver({ certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') });
    zone = await createHostedZone(route53, 'loopback.test', [{ name: host, type: 'A', value: '127.0.0.1' }]);
    token = await accessTokenOf('alice');
    alice = await jmapClient(token);
  });
  afterAll(async () => {
    await call('set', { destroy: createdIds });
    await Promise.all([receiver.close(), zone.remove()]);
    route53.destroy();
  });

  const call = async (method: 'get' | 'set', args: Json): Promise<Json> => {
    const body = { using: [core], methodCalls: [[`PushSubscription/${method}`, args, 'p']] };
    const answer = await httpRequest(alice.session.apiUrl, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...bearer(token) },
    });
    const [[name, response]] = (answer.json as { methodResponses: [Invocation] }).methodResponses;
    expect(name).toBe(`PushSubscription/${method}`);
    return response;
  };
  const idsOf = async () => ((await call('get', { ids: null }))['list'] as Json[]).map(({ id }) => id);
  const pathOf = (name: string) => `/${label}/${name}`;
  const messageOf = ({ body }: ReceivedPush, keys?: ReceiverKeys) => JSON.parse((keys ? decrypted(body, keys) : body).toString()) as Json;

  const subscribe = async (
    name: string,
    { keys, types = null, hostName = '127.0.0.1' }: { keys?: ReceiverKeys; types?: string[] | null; hostName?: string } = {},
  ): Promise<string> => {
    const answer = await call('set', {
      create: { new: { deviceClientId: label, url: `https://${hostName}:${receiver.port}${pathOf(name)}`, types, ...(keys && { keys: publicKeys(keys) }) } },
    });
    expect(answer['notCreated']).toBeNull();
    const { id } = (answer['created'] as { new: { id: string } }).new;
    createdIds.push(id);
    return id;
  };
  /** Waits for the PushVerification and sets its verificationCode, as a client does. */
  const verify = async (name: string, id: string, keys?: ReceiverKeys): Promise<void> => {
    const [push] = await receiver.pushes(pathOf(name));
    const verification = messageOf(push!, keys);
    expect(verification).toEqual({ '@type': 'PushVerification', pushSubscriptionId: id, verificationCode: expect.any(String) });
    const { verificationCode } = verification;
    expect(await call('set', { update: { [id]: { verificationCode } } })).toMatchObject({ updated: { [id]: null }, notUpdated: null });
  };
  const receiveMail = () => sendBySmtp([sandboxUser('alice').email], { subject: uniqueSubject('Web Push'), text: 'Hello' });
  const emailState = async () => (await alice.call(['Email/get', { ids: [] }]))[0]!['state'];

  test('pushes received mail to a verified subscription as an encrypted StateChange', async () => {
    const keys = newKeys();
    const id = await subscribe('phone', { keys });
    await verify('phone', id, keys);
    await receiveMail();
    const [, push] = await receiver.pushes(pathOf('phone'), 2);
    expect(push!.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      'content-type': 'application/json',
      urgency: 'normal',
      ttl: expect.stringMatching(/^\d+$/),
    });
    const { changed } = messageOf(push!, keys) as { changed: Record<string, Json> };
    expect(Object.keys(changed)).toEqual([alice.accountId]);
    expect(changed[alice.accountId]).toMatchObject({
      EmailDelivery: expect.any(String),
      Mailbox: expect.any(String),
      Quota: expect.any(String),
      Thread: expect.any(String),
      Email: await emailState(),
    });
    expect(push!.body.toString('latin1')).not.toContain(alice.accountId);
  });

  test('identifies the deployment to the push service by the session’s applicationServerKey', async () => {
    const [push] = await receiver.pushes(pathOf('phone'));
    const { applicationServerKey } = alice.session.capabilities['urn:ietf:params:jmap:webpush-vapid']!;
    expect(claimsOf(push!.headers.authorization)).toMatchObject({
      publicKey: applicationServerKey,
      aud: `https://127.0.0.1:${receiver.port}`,
      sub: expect.stringMatching(/^mailto:postmaster@/),
    });
  });

  test('pushes plain JSON to a subscription without keys, by host name, for the requested types only', async () => {
    const id = await subscribe('plain', { types: ['EmailDelivery'], hostName: host });
    await verify('plain', id);
    await receiveMail();
    const [, push] = await receiver.pushes(pathOf('plain'), 2);
    expect(push!.headers).not.toHaveProperty('content-encoding');
    expect(messageOf(push!)).toEqual({ '@type': 'StateChange', changed: { [alice.accountId]: { EmailDelivery: expect.any(String) } } });
  });

  test('pushes nothing but the verification to an unverified subscription', async () => {
    await subscribe('unverified');
    await receiver.pushes(pathOf('unverified'));
    const before = (await receiver.pushes(pathOf('phone'))).length;
    await receiveMail();
    await receiver.pushes(pathOf('phone'), before + 1);
    expect(await receiver.pushes(pathOf('unverified'))).toHaveLength(1);
  });

  test('removes a subscription whose push service responds with 410', async () => {
    const id = await subscribe('gone');
    await verify('gone', id);
    receiver.setResponse(pathOf('gone'), { status: 410 });
    await receiveMail();
    await receiver.pushes(pathOf('gone'), 2);
    await eventually(async () => expect(await idsOf()).not.toContain(id));
  });

  test('a push service that does not respond delays no other subscription', async () => {
    const id = await subscribe('slow');
    await verify('slow', id);
    receiver.setResponse(pathOf('slow'), 'never');
    const before = (await receiver.pushes(pathOf('phone'))).length;
    await receiveMail();
    const waited = receiver.pushes(pathOf('slow'), 2);
    const [quick, slow] = [(await receiver.pushes(pathOf('phone'), before + 1)).at(-1)!, (await waited).at(-1)!];
    expect(quick.at).toBeLessThanOrEqual(await slow.closed);
    await receiveMail();
    await receiver.pushes(pathOf('phone'), before + 2);
    expect(await idsOf()).toContain(id);
  });

  test.each(['http://127.0.0.1/', 'https://169.254.169.254/latest/meta-data/', 'https://[fd00::1]/', 'https://localhost/', 'https://2886729729/'])(
    'PushSubscription/set refuses the url %s',
    async (url) => {
      expect(await call('set', { create: { new: { deviceClientId: label, url } } })).toMatchObject({
        created: null,
        notCreated: { new: { type: 'invalidProperties', properties: ['url'] } },
      });
    },
  );
});
