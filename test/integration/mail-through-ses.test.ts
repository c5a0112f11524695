import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { domainOf, localPartOf } from '../../contract/values/mail-address.ts';
import { adminMachineToken } from './access-tokens.ts';
import { describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { identityIdOf, jmapClient, mailboxIdOf, type JmapClient } from './jmap-client.ts';
import { observe } from './observation.ts';
import { createUserWithAccount } from './user-with-account.ts';

/** SES's mailbox simulator, which accepts every message. */
const simulator = 'success@simulator.amazonses.com';

/** Milliseconds in which SES has sent or refused a large message. */
const patience = 10 * 60_000;

type Delivery = { readonly delivered: string; readonly smtpReply: string };

describeWith('users', 'sending')('mail that leaves through SES', () => {
  let email: string;
  let client: JmapClient;
  let identityId: string;
  let drafts: string;
  beforeAll(async () => {
    const person = await createUserWithAccount(await adminMachineToken(), `through-ses-${randomUUID().slice(0, 8)}`);
    email = person.email;
    client = await jmapClient((await person.signIn()).access_token);
    drafts = await mailboxIdOf(client, 'drafts');
    identityId = await identityIdOf(client, email);
  });

  const submit = async (emailId: string, to: string): Promise<string> => {
    const [submitted] = await client.call([
      'EmailSubmission/set',
      { create: { sending: { emailId, identityId, envelope: { mailFrom: { email, parameters: null }, rcptTo: [{ email: to, parameters: null }] } } } },
    ]);
    expect(submitted).toMatchObject({ notCreated: null });
    return (submitted!['created'] as Record<string, { id: string }>)['sending']!.id;
  };

  /** Imports a message of this size, whose attachment repeats one upload. @returns the id of the Email. */
  const importMessage = async (size: number): Promise<string> => {
    const head = [
      `From: <${email}>`,
      `To: <${simulator}>`,
      `Subject: ${size} octets`,
      `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: <${randomUUID()}@${domainOf(email)}>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=part',
      '',
      '--part',
      'Content-Type: text/plain',
      '',
      'A large message of a test.',
      '--part',
      'Content-Type: application/octet-stream',
      'Content-Disposition: attachment; filename=octets.bin',
      'Content-Transfer-Encoding: base64',
      '',
      '',
    ].join('\r\n');
    const line = (length: number): string => `${randomBytes((length * 3) / 4).toString('base64')}\r\n`;
    const piece = Array.from({ length: 50_000 }, () => line(76)).join('');
    const end = '--part--\r\n';
    const pieces = Math.floor((size - head.length - end.length) / piece.length);
    const rest = size - head.length - end.length - pieces * piece.length;
    const lines = Array.from({ length: Math.floor(rest / 78) }, () => line(76)).join('');
    const blobIds = await Promise.all(
      [head, piece, `${' '.repeat(rest % 78)}${lines}${end}`].map(async (text) => {
        const uploaded = await client.upload(text, 'text/plain');
        expect(uploaded.status).toBe(200);
        return (uploaded.json as { blobId: string }).blobId;
      }),
    );
    const [first, repeated, last] = blobIds.map((blobId) => ({ blobId }));
    const [joined] = await client.call([
      'Blob/upload',
      { create: { message: { data: [first, ...Array.from({ length: pieces }, () => repeated), last], type: 'message/rfc822' } } },
    ]);
    expect(joined).toMatchObject({ created: { message: { size } } });
    const { id: blobId } = (joined!['created'] as Record<string, { id: string }>)['message']!;
    const [imported] = await client.call(['Email/import', { emails: { message: { blobId, mailboxIds: { [drafts]: true }, keywords: { $draft: true } } } }]);
    return (imported!['created'] as Record<string, { id: string }>)['message']!.id;
  };

  const statusOf = async (submissionId: string): Promise<Delivery> => {
    const [got] = await client.call(['EmailSubmission/get', { ids: [submissionId], properties: ['deliveryStatus'] }]);
    return Object.values((got!['list'] as { deliveryStatus: Record<string, Delivery> }[])[0]!.deliveryStatus)[0]!;
  };

  test.each([28_000_000, 35_000_000])('a message of %d octets is delivered, or its sender is told both sizes at once', async (size) => {
    const emailId = await importMessage(size);
    const submissionId = await submit(emailId, simulator);
    const { delivered, smtpReply } = await eventually(
      async () => {
        const status = await statusOf(submissionId);
        expect(['yes', 'no']).toContain(status.delivered);
        return status;
      },
      1000,
      patience,
    );
    observe(delivered === 'yes' ? 'SES took it' : `SES refused it: ${smtpReply}`);
    if (delivered === 'no') {
      expect(smtpReply).toMatch(/^552 5\.3\.4 .*\d octets.*\d octets/);
      const reports = await eventually(async () => {
        const [found] = await client.call(['Email/query', { filter: { inMailbox: await mailboxIdOf(client, 'inbox') } }]);
        expect(found!['ids']).toHaveLength(1);
        return found!['ids'] as string[];
      });
      await client.call(['Email/set', { destroy: reports }]);
    }
    await client.call(['Email/set', { destroy: [emailId] }]);
  });

  describeWith('receiving')('to an address here', () => {
    test('arrives once, with the address in capitals', async () => {
      const subject = `Capitals ${randomUUID()}`;
      const [written] = await client.call([
        'Email/set',
        {
          create: {
            draft: {
              mailboxIds: { [drafts]: true },
              from: [{ email }],
              to: [{ email }],
              subject,
              textBody: [{ partId: '1', type: 'text/plain' }],
              bodyValues: { 1: { value: 'Hello' } },
            },
          },
        },
      ]);
      const { id: emailId } = (written!['created'] as Record<string, { id: string }>)['draft']!;
      const inMailbox = await mailboxIdOf(client, 'inbox');
      const arrived = async (): Promise<string[]> => (await client.call(['Email/query', { filter: { subject, inMailbox } }]))[0]!['ids'] as string[];
      const started = Date.now();
      let bounces = -1;
      let submissionId: string | undefined;
      await eventually(async () => {
        // SES may refuse an address that was created just now.
        if (submissionId === undefined || (await statusOf(submissionId)).delivered === 'no') {
          submissionId = await submit(emailId, `${localPartOf(email).toUpperCase()}@${domainOf(email)}`);
          bounces += 1;
        }
        expect({ arrived: (await arrived()).length, bounces }).toMatchObject({ arrived: 1 });
      }, 2000);
      observe(`arrived after ${Math.ceil((Date.now() - started) / 1000)} s and ${bounces} bounces`);
      await delay(5000);
      expect(await arrived()).toHaveLength(1);
    });
  });
});
