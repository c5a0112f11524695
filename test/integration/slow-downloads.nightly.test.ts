import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { signIn } from '../../sandbox/clients/hosted-sign-in.ts';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { identityIdOf, jmapClient, mailboxIdOf, openMailbox, type JmapClient } from './jmap-client.ts';
import { uniqueSubject } from './send-by-smtp.ts';
import { beginDownload, limitConcurrency, storeLargeBlob, type SlowReader } from './slow-readers.ts';

const size = 40_000_000;

describeWith('users', 'emulator')('twelve slow readers of 40 MB in an account with ten concurrent Lambdas', () => {
  let readers: SlowReader[];
  let before: number;
  beforeAll(async () => {
    const token = await accessTokenOf('bob');
    const bob: JmapClient = await jmapClient(token);
    const blobId = await storeLargeBlob(bob, size);
    before = await limitConcurrency(deployed.awsEndpointUrl!, 10);
    readers = await Promise.all(Array.from({ length: 12 }, () => beginDownload(bob, token, blobId)));
  }, 120_000);
  afterAll(async () => {
    readers?.forEach((reader) => reader.disconnect());
    if (before !== undefined) await limitConcurrency(deployed.awsEndpointUrl!, before);
  });

  test('hold four Lambdas, and the others are 429', () => {
    const having = (wanted: number): number => readers.filter(({ status }) => status === wanted).length;
    expect([having(200), having(429)]).toEqual([4, 8]);
  });

  test('let another person sign in, list mail and send meanwhile', async () => {
    const alice = sandboxUser('alice');
    const { access_token: token } = await signIn({
      authUrl: deployed.authUrl,
      clientId: deployed.clients.cli.clientId,
      redirectUri: cliCallbackUrls[0],
      ...alice,
    });
    const client = await jmapClient(token);
    await openMailbox(client, 'inbox');
    const subject = uniqueSubject('While others read slowly');
    const [created, submitted] = await client.call(
      [
        'Email/set',
        {
          create: {
            draft: {
              mailboxIds: { [await mailboxIdOf(client, 'drafts')]: true },
              from: [{ email: alice.email }],
              to: [{ email: sandboxUser('bob').email }],
              subject,
              bodyValues: { text: { value: 'Hello' } },
              textBody: [{ partId: 'text', type: 'text/plain' }],
            },
          },
        },
      ],
      ['EmailSubmission/set', { create: { send: { emailId: '#draft', identityId: await identityIdOf(client, alice.email) } } }],
    );
    expect([created!['notCreated'] ?? null, submitted!['notCreated'] ?? null]).toEqual([null, null]);
    const bob = await jmapClient(await accessTokenOf('bob'));
    await eventually(async () => {
      expect((await openMailbox(bob, 'inbox')).emails.map((email) => email.subject)).toContain(subject);
    });
  }, 90_000);
});
