import { randomUUID } from 'node:crypto';
import type { MailFeedback, SentMessage } from '../../contract/admin/mail-feedback.ts';
import type { Suppression } from '../../contract/admin/suppression.ts';
import { accessTokenOf, adminMachineToken } from './access-tokens.ts';
import { ok } from './admin-calls.ts';
import { describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { identityIdOf, jmapClient, mailboxIdOf, type JmapClient } from './jmap-client.ts';
import { rawMessagesTo } from './outbox.ts';
import { sendMail } from './send-by-smtp.ts';
import { closeAllSockets, openSocket, pushedState } from './websocket-push-client.ts';

type DeliveryStatus = { readonly delivered: string; readonly displayed: string; readonly smtpReply: string };
type SentEmail = { readonly submissionId: string; readonly threadId: string };

const label = randomUUID().slice(0, 8);
const simulator = (name: string) => `${name}+${label}@simulator.amazonses.com`;
const outside = `carol-${label}@elsewhere.test`;

describeWith(
  'users',
  'smtp',
  'emulator',
)('the delivery status of an EmailSubmission', () => {
  let alice: JmapClient;
  let identityId: string;
  beforeAll(async () => {
    alice = await jmapClient(await accessTokenOf('alice'));
    identityId = await identityIdOf(alice, sandboxUser('alice').email);
  });
  afterAll(closeAllSockets);

  const send = async (to: readonly string[], subject: string): Promise<SentEmail> => {
    const mailboxIds = { [await mailboxIdOf(alice, 'drafts')]: true };
    const [draft, submission] = await alice.call(
      [
        'Email/set',
        {
          create: {
            draft: {
              mailboxIds,
              from: [{ email: sandboxUser('alice').email }],
              to: to.map((email) => ({ email })),
              subject,
              textBody: [{ partId: '1', type: 'text/plain' }],
              bodyValues: { 1: { value: 'Hello' } },
            },
          },
        },
      ],
      ['EmailSubmission/set', { create: { sending: { emailId: '#draft', identityId } } }],
    );
    expect([draft!['notCreated'], submission!['notCreated']]).toEqual([null, null]);
    const created = (draft!['created'] as Record<string, { threadId: string }>)['draft']!;
    return { submissionId: (submission!['created'] as Record<string, { id: string }>)['sending']!.id, threadId: created.threadId };
  };
  const submission = async (id: string) => {
    const [{ list } = {}] = await alice.call(['EmailSubmission/get', { ids: [id] }]);
    const [found] = list as { deliveryStatus: Record<string, DeliveryStatus>; dsnBlobIds: string[]; undoStatus: string }[];
    return found!;
  };
  const statusesOf = async (id: string) =>
    Object.fromEntries(Object.entries((await submission(id)).deliveryStatus).map(([address, { delivered }]) => [address, delivered]));

  test('follows the events of SES’s mailbox simulator, with feedback, suppression, reports and a push', async () => {
    const token = await accessTokenOf('alice');
    const socket = await openSocket(token);
    await socket.enable();
    const [bounce, complaint, ooto, suppressed] = ['bounce', 'complaint', 'ooto', 'suppressionlist'].map(simulator) as [string, string, string, string];
    const { submissionId } = await send([bounce, complaint, ooto, suppressed, outside], `Simulated ${label}`);
    await eventually(
      async () => expect(await statusesOf(submissionId)).toEqual({ [bounce]: 'no', [complaint]: 'yes', [ooto]: 'yes', [suppressed]: 'no', [outside]: 'yes' }),
      200,
    );
    expect(await submission(submissionId)).toMatchObject({
      undoStatus: 'final',
      deliveryStatus: { [bounce]: { displayed: 'unknown', smtpReply: expect.stringMatching(/^550 5\.1\.1 /) } },
    });

    const admin = await adminMachineToken();
    const feedback = await eventually(async () => {
      const { feedback: all } = await ok<{ feedback: MailFeedback[] }>(admin, 'mail-feedback/ListFeedbackByIdentity', { identity_id: identityId });
      const own = all.filter(({ submission_id }) => submission_id === submissionId);
      expect(own).toHaveLength(4);
      return own;
    }, 200);
    expect(Object.fromEntries(feedback.map(({ recipient, type, bounce_metadata: metadata }) => [recipient, [type, metadata?.bounce_type]]))).toEqual({
      [bounce]: ['BOUNCE', 'Permanent'],
      [suppressed]: ['BOUNCE', 'Permanent'],
      [ooto]: ['BOUNCE', 'Transient'],
      [complaint]: ['COMPLAINT', undefined],
    });
    expect(feedback[0]).toMatchObject({ account_id: alice.accountId, user_id: expect.any(String), identity_id: identityId });
    const suppressionOf = async (recipient: string) => (await ok<{ suppression: Suppression }>(admin, 'suppression/GetSuppression', { recipient })).suppression;
    expect(await suppressionOf(bounce)).toMatchObject({ bounce: { level: 'HARD' } });
    expect(await suppressionOf(suppressed)).toMatchObject({ bounce: { level: 'HARD' } });
    expect(await suppressionOf(complaint)).toMatchObject({ bounce: { level: 'NONE' }, complaints: { transactional: { level: 'PERMANENT' } } });

    // Events that came together are one report.
    await eventually(async () => {
      const { dsnBlobIds } = await submission(submissionId);
      const reports = await Promise.all(dsnBlobIds.map(async (blobId) => (await alice.download(blobId)).text()));
      const reported = reports.flatMap((report) => [...report.matchAll(/^Final-Recipient: rfc822; (.*)\r$/gm)].map(([, address]) => address!));
      expect(reported.toSorted()).toEqual([bounce, suppressed].toSorted());
    }, 200);
    await socket.receive((frame) => pushedState(frame, alice.accountId, 'EmailSubmission') !== undefined);
    await socket.receive((frame) => pushedState(frame, alice.accountId, 'EmailDelivery') !== undefined);
  });

  test('is complete for a message to many recipients', async () => {
    const recipients = Array.from({ length: 50 }, (_, number) => `many-${number}-${label}@elsewhere.test`);
    const { submissionId } = await send(recipients, `Many ${label}`);
    const expected = Object.fromEntries(recipients.map((recipient) => [recipient, 'yes']));
    await eventually(async () => expect(await statusesOf(submissionId)).toEqual(expected), 200);
  });

  test('of the next send to the bounced address is `no` for that recipient only', async () => {
    const bounce = simulator('bounce');
    const { submissionId } = await send([bounce, outside], `Again ${label}`);
    await eventually(async () => expect(await statusesOf(submissionId)).toEqual({ [bounce]: 'no', [outside]: 'yes' }), 200);
    expect((await submission(submissionId)).deliveryStatus[bounce]!.smtpReply).toMatch(/^550 5\.7\.1 not sent: /);
  });

  test('is found by an admin by address, Message-ID, SES’s Message-ID and submission id', async () => {
    const [bounce, complaint] = [simulator('bounce'), simulator('complaint')];
    const admin = await adminMachineToken();
    const found = async (request: object) => (await ok<{ messages: SentMessage[] }>(admin, 'mail-feedback/ListSentMessages', request)).messages;
    const [again, first] = await eventually(async () => {
      const messages = await found({ address: bounce });
      expect(messages).toHaveLength(2);
      return messages;
    }, 200);
    const stateOf = (message: SentMessage | undefined, address: string) =>
      message!.recipients!.flatMap((recipient) => (recipient.address === address ? [recipient.state] : []));
    expect([stateOf(again, bounce), stateOf(again, outside)]).toEqual([['WITHHELD'], ['DELIVERED']]);
    expect([stateOf(first, bounce), stateOf(first, complaint), stateOf(first, outside)]).toEqual([['BOUNCED'], ['COMPLAINED'], ['DELIVERED']]);
    expect(first!.recipients!.find(({ address }) => address === bounce)!.events!.map(({ type }) => type)).toEqual(['ACCEPTED', 'SENT', 'BOUNCED']);
    expect(first).toMatchObject({ account_id: alice.accountId, sender: sandboxUser('alice').email, undo_status: 'FINAL' });
    const [provider] = first!.provider_message_ids!;
    for (const request of [
      { message_id: `<${first!.message_id}>` },
      { message_id: provider },
      { message_id: `<${provider}@email.amazonses.com>` },
      { submission_id: first!.submission_id },
    ]) {
      expect([request, await found(request)]).toEqual([request, [first]]);
    }
    expect((await found({ address: sandboxUser('alice').email })).map(({ submission_id: id }) => id)).toContain(first!.submission_id);
  });

  test('a reply that cites SES’s Message-ID joins the Thread of the Email that was sent', async () => {
    const subject = `Lunch ${label}`;
    const { submissionId, threadId } = await send([outside], subject);
    await eventually(async () => expect(await statusesOf(submissionId)).toEqual({ [outside]: 'yes' }), 200);
    const [raw] = await rawMessagesTo([outside], subject);
    const inReplyTo = /^Message-ID: (<.*>)\r$/im.exec(raw!)![1]!;
    expect(inReplyTo).toMatch(/amazonses\.com>$/);
    await sendMail([sandboxUser('alice').email], { subject: `Re: ${subject}`, text: 'Yes', inReplyTo });
    await eventually(async () => {
      const [thread] = await alice.call(['Thread/get', { ids: [threadId] }]);
      expect((thread!['list'] as { emailIds: string[] }[])[0]!.emailIds).toHaveLength(2);
    }, 200);
  });
});
