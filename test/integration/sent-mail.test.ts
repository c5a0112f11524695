import { randomUUID } from 'node:crypto';
import { accessTokenOf } from './access-tokens.ts';
import { describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { identityIdOf, jmapClient, mailboxIdOf, type JmapClient, type MailboxEmail } from './jmap-client.ts';
import { outboxMessages, rawMessagesTo } from './outbox.ts';
import { closeAllSockets, openSocket, pushedState } from './websocket-push-client.ts';

type Json = Record<string, unknown>;
type Address = { readonly email: string; readonly name?: string };
type Draft = { readonly subject: string } & { readonly [header in 'to' | 'cc' | 'bcc']?: readonly Address[] } & {
  readonly inReplyTo?: readonly string[];
  readonly references?: readonly string[];
};
type Person = { readonly client: JmapClient; readonly email: string; readonly identityId: string; readonly drafts: string; readonly sent: string };

const signIn = async (name: 'alice' | 'bob'): Promise<Person> => {
  const client = await jmapClient(await accessTokenOf(name));
  const { email } = sandboxUser(name);
  const identityId = await identityIdOf(client, email);
  return { client, email, identityId, drafts: await mailboxIdOf(client, 'drafts'), sent: await mailboxIdOf(client, 'sent') };
};

/** Creates a draft, sends it and moves it to Sent, in one request. @returns the properties that the server set. */
const send = async ({ client, email, identityId, drafts, sent }: Person, draft: Draft, submission: Json = {}) => {
  const [written, accepted, moved] = await client.call(
    [
      'Email/set',
      {
        create: {
          draft: {
            mailboxIds: { [drafts]: true },
            keywords: { $draft: true, $seen: true },
            from: [{ email }],
            ...draft,
            textBody: [{ partId: '1', type: 'text/plain' }],
            bodyValues: { 1: { value: 'Hello' } },
          },
        },
      },
    ],
    [
      'EmailSubmission/set',
      {
        create: { sending: { emailId: '#draft', identityId, ...submission } },
        onSuccessUpdateEmail: { '#sending': { [`mailboxIds/${drafts}`]: null, [`mailboxIds/${sent}`]: true, 'keywords/$draft': null } },
      },
    ],
  );
  expect([written, accepted]).toEqual([expect.objectContaining({ notCreated: null }), expect.objectContaining({ notCreated: null })]);
  const { id: emailId, threadId } = (written!['created'] as Record<string, { id: string; threadId: string }>)['draft']!;
  expect(moved).toMatchObject({ updated: { [emailId]: null }, notUpdated: null });
  return { emailId, threadId, submissionId: (accepted!['created'] as Record<string, { id: string }>)['sending']!.id };
};

const submissionOf = async ({ client }: Person, id: string) => {
  const [got] = await client.call(['EmailSubmission/get', { ids: [id] }]);
  const [found] = got!['list'] as { undoStatus: string; sendAt: string; deliveryStatus: Record<string, { delivered: string }> }[];
  return { ...found!, state: got!['state'] as string };
};
const emailOf = async ({ client }: Person, id: string, properties: readonly string[]) => {
  const [got] = await client.call(['Email/get', { ids: [id], properties }]);
  return (got!['list'] as MailboxEmail[])[0]!;
};
/** Waits for an Email in the inbox with this subject, and returns it. */
const received = ({ client }: Person, subject: string) =>
  eventually(async () => {
    const [, got] = await client.call(
      ['Email/query', { filter: { inMailbox: await mailboxIdOf(client, 'inbox'), subject } }],
      ['Email/get', { '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' }, properties: ['subject', 'threadId', 'messageId', 'to', 'cc', 'bcc'] }],
    );
    const emails = got!['list'] as (MailboxEmail & { threadId: string; messageId: string[] })[];
    expect(emails.map((email) => email.subject)).toEqual([subject]);
    return emails[0]!;
  });
const threadOf = async ({ client }: Person, threadId: string) => {
  const [got] = await client.call(['Thread/get', { ids: [threadId] }]);
  return (got!['list'] as { emailIds: string[] }[])[0]!.emailIds;
};
/**
 * Waits until the mail is delivered to all recipients of a submission.
 * @returns the state of EmailSubmission after that.
 */
const delivered = (person: Person, id: string, recipients: readonly string[]) =>
  eventually(async () => {
    const { deliveryStatus, undoStatus, state } = await submissionOf(person, id);
    expect(undoStatus).toBe('final');
    expect(Object.fromEntries(Object.entries(deliveryStatus).map(([address, each]) => [address, each.delivered]))).toEqual(
      Object.fromEntries(recipients.map((address) => [address, 'yes'])),
    );
    return state;
  });

describeWith(
  'users',
  'smtp',
  'emulator',
)('sent mail', () => {
  const label = randomUUID().slice(0, 8);
  const [carol, dave] = [`carol-${label}@elsewhere.test`, `dave-${label}@elsewhere.test`];
  let alice: Person;
  let bob: Person;
  beforeAll(async () => {
    [alice, bob] = await Promise.all([signIn('alice'), signIn('bob')]);
  });
  afterAll(closeAllSockets);

  test('is read and replied to in one Thread on both sides, leaves without Bcc, and is pushed when it is delivered', async () => {
    const socket = await openSocket(await accessTokenOf('alice'));
    await socket.enable({ dataTypes: ['EmailSubmission'] });
    const subject = `Plan ${label}`;
    const message = await send(alice, { subject, to: [{ email: bob.email, name: 'Bob' }], cc: [{ email: carol }], bcc: [{ email: dave }] });
    expect(await emailOf(alice, message.emailId, ['mailboxIds', 'keywords', 'bcc'])).toEqual({
      id: message.emailId,
      mailboxIds: { [alice.sent]: true },
      keywords: { $seen: true },
      bcc: [{ name: null, email: dave }],
    });

    const got = await received(bob, subject);
    expect(got).toMatchObject({ to: [{ name: 'Bob', email: bob.email }], cc: [{ email: carol }], bcc: null });
    const raw = await rawMessagesTo([carol, dave], subject);
    for (const each of raw) expect(each).not.toMatch(new RegExp(`^bcc:|${dave}`, 'im'));
    const state = await delivered(alice, message.submissionId, [bob.email, carol, dave]);
    await socket.receive((frame) => pushedState(frame, alice.client.accountId, 'EmailSubmission') === state);

    const replySubject = `Re: ${subject}`;
    const reply = await send(bob, { subject: replySubject, to: [{ email: alice.email }], inReplyTo: got.messageId, references: got.messageId });
    const answer = await received(alice, replySubject);
    expect(await threadOf(alice, message.threadId)).toEqual([message.emailId, answer.id]);
    expect(await threadOf(bob, got.threadId)).toEqual([got.id, reply.emailId]);
    await delivered(bob, reply.submissionId, [alice.email]);
  });

  test('with a time is pending until then; after cancellation it is never sent, and a final one cannot be canceled', async () => {
    const cancel = async (id: string) => {
      const [response] = await alice.client.call(['EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } }]);
      return response!;
    };
    const subject = `Later ${label}`;
    const inSeconds = (seconds: number) => new Date((Math.floor(Date.now() / 1000) + seconds) * 1000).toISOString().replace('.000Z', 'Z');
    const heldUntil = (email: string, time: string) => ({
      envelope: { mailFrom: { email: alice.email, parameters: { HOLDUNTIL: time } }, rcptTo: [{ email, parameters: null }] },
    });
    const [before, at] = [inSeconds(13), inSeconds(16)];
    const kept = await send(alice, { subject, to: [{ email: carol }] }, heldUntil(carol, at));
    const canceled = await send(alice, { subject, to: [{ email: dave }] }, heldUntil(dave, before));
    expect(await submissionOf(alice, kept.submissionId)).toMatchObject({
      undoStatus: 'pending',
      sendAt: at,
      deliveryStatus: { [carol]: { delivered: 'queued' } },
    });
    expect(await cancel(canceled.submissionId)).toMatchObject({ updated: { [canceled.submissionId]: null } });
    expect(await outboxMessages(subject)).toEqual([]);

    await delivered(alice, kept.submissionId, [carol]);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(at));
    expect(await cancel(kept.submissionId)).toMatchObject({ updated: null, notUpdated: { [kept.submissionId]: { type: 'cannotUnsend' } } });
    // The canceled one was due three seconds before.
    await rawMessagesTo([carol], subject);
    expect(await submissionOf(alice, canceled.submissionId)).toMatchObject({ undoStatus: 'canceled' });
  });
});
