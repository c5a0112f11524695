import type { Domain } from '../../../../contract/admin/domains.ts';
import { simulatorAddresses } from '../../../../contract/deployment/sending.ts';
import { parseMessage } from '../../../../core/mime/parse-message.ts';
import { mailFeedbackIn } from '../../../../core/sending/feedback/mail-feedback.ts';
import { submissionsIn } from '../../../../core/sending/submission/submissions.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';
import { perTest } from '../../../support/per-test.ts';

const now = new Date('2026-11-21T08:38:00Z');
const api = adminApiPerTest({ clock: () => now });
const domain = perTest(async () => (await api.ok('/domains/AddDomain', { domain: 'other.test' }))['domain'] as Domain);
beforeEach(() => {
  api.emailProvider.verify('other.test');
});

const send = (request: object) => api.call('/domains/SendTestEmail', request);
const opened = async (id: unknown) => {
  const found = (await submissionsIn(api.sending).findPart({ submission_id: id as string, part: 0 }))!;
  return { ...found, message: (await api.objects.get(found.submission.message_key))!.bytes };
};
const submissions = async () => (await api.sending.query({ pk: 'outbox' })).length;

test('SendTestEmail submits mail from test@ the domain to the recipient, with an outbox entry and a queue message', async () => {
  const answer = await api.ok('/domains/SendTestEmail', { id: domain.id, test_type: 'NORMAL', to_email: 'Ann@Elsewhere.test' });
  expect(answer).toEqual({
    message_id: '',
    note: 'from test@other.test to ann@elsewhere.test',
    submission_id: expect.stringMatching(/^submission_[\w-]{21}$/),
  });
  const { submission, part, message } = await opened(answer['submission_id']);
  expect(submission).toMatchObject({
    identity_id: domain.id,
    message_class: 'TRANSACTIONAL',
    mail_from: 'test@other.test',
    undo_status: 'pending',
    parts: 1,
    ignores_suppression: false,
  });
  expect(submission).not.toHaveProperty('account_id');
  expect(part).toMatchObject({ state: 'queued', recipients: [{ address: 'ann@elsewhere.test' }] });
  expect(api.submitQueue.take()).toEqual([JSON.stringify({ submission_id: answer['submission_id'], part: 0 })]);
  expect(parseMessage(message).email).toMatchObject({
    from: [{ email: 'test@other.test' }],
    to: [{ email: 'ann@elsewhere.test' }],
    subject: expect.stringContaining('test'),
  });
});

test.each(Object.entries(simulatorAddresses))('SendTestEmail of type %s sends to %s and ignores to_email', async (test_type, address) => {
  const answer = await api.ok('/domains/SendTestEmail', { id: domain.id, test_type, to_email: 'ann@elsewhere.test', message_class: 'BULK' });
  expect(answer['note']).toContain(address);
  const { submission, part } = await opened(answer['submission_id']);
  expect(submission).toMatchObject({ message_class: 'BULK', ignores_suppression: true });
  expect(part.recipients.map((recipient) => recipient.address)).toEqual([address]);
});

test.each(Object.keys(simulatorAddresses))('SendTestEmail of type %s ignores a to_email that is not an address', async (test_type) => {
  for (const to_email of ['nobody', '', 'a@b@', `${'x'.repeat(3000)}@other.test`]) {
    expect(await send({ id: domain.id, test_type, to_email })).toMatchObject({ status: 200 });
  }
});

test.each(['nobody', '', 'ann@elsewhere', 'x'.repeat(3000)])('SendTestEmail refuses NORMAL to %.20j with invalid_argument', async (to_email) => {
  const message = 'to_email must be an email address such as alice@example.com';
  expect(await send({ id: domain.id, test_type: 'NORMAL', to_email })).toMatchObject({ status: 400, body: { code: 'invalid_argument', message } });
  expect(await submissions()).toBe(0);
});

test('SendTestEmail sends from an address of a verified domain, and from an address that is verified itself', async () => {
  await api.senderAddresses.register('solo@single.test');
  const request = { test_type: 'NORMAL', to_email: 'ann@elsewhere.test' };
  expect(await send({ ...request, from_email: 'solo@single.test' })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
  api.senderAddresses.setStatus('solo@single.test');
  const ids = [];
  for (const from_email of ['Solo@single.test', 'anybody@other.test']) {
    const { submission } = await opened((await api.ok('/domains/SendTestEmail', { ...request, from_email }))['submission_id']);
    expect(submission.mail_from).toBe(from_email.toLowerCase());
    ids.push(submission.identity_id);
  }
  const { identities } = (await api.ok('/email-identities/ListEmailIdentities')) as { identities: { identity_id: string }[] };
  expect(ids).toEqual([identities[0]!.identity_id, domain.id]);
});

test.each([
  ['neither from_email nor id', {}, 'invalid_argument'],
  ['both from_email and id', { from_email: 'a@other.test', id: 'dom_x' }, 'invalid_argument'],
  ['an unknown domain', { id: 'dom_x' }, 'not_found'],
  ['an address that is not verified', { from_email: 'a@elsewhere.test' }, 'failed_precondition'],
])('SendTestEmail refuses %s and submits nothing', async (_, sender, code) => {
  expect((await send({ ...sender, test_type: 'NORMAL', to_email: 'ann@elsewhere.test' })).body).toMatchObject({ code });
  expect(await submissions()).toBe(0);
  expect(api.submitQueue.waiting).toEqual([]);
});

test('SendTestEmail refuses NORMAL without to_email', async () => {
  expect((await send({ id: domain.id, test_type: 'NORMAL' })).body).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('to_email') });
});

test('SendTestEmail refuses a domain that is not verified or not enabled for sending', async () => {
  const pending = (await api.ok('/domains/AddDomain', { domain: 'pending.test' }))['domain'] as Domain;
  const silent = (await api.ok('/domains/AddDomain', { domain: 'silent.test', send_enabled: false }))['domain'] as Domain;
  api.emailProvider.verify('silent.test');
  for (const sender of [{ id: pending.id }, { id: silent.id }, { from_email: 'a@pending.test' }, { from_email: 'a@silent.test' }]) {
    expect(await send({ ...sender, test_type: 'BOUNCE' })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
  }
  expect(await submissions()).toBe(0);
});

test('SendTestEmail refuses a suppressed recipient with the reason, but sends to a suppressed simulator address', async () => {
  for (const recipient of ['gone@elsewhere.test', simulatorAddresses.BOUNCE]) {
    await mailFeedbackIn(api.sending).add(
      {
        id: `feedback_${recipient}`,
        type: 'BOUNCE',
        message_class: 'TRANSACTIONAL',
        recipient,
        identity_id: 'dom_1',
        timestamp: now.toISOString(),
        provider_message_id: 'm',
        bounce_metadata: { bounce_type: 'Permanent', bounce_sub_type: 'General' },
      },
      now,
    );
  }
  const to_email = 'gone@elsewhere.test';
  expect((await send({ id: domain.id, test_type: 'NORMAL', to_email })).body).toEqual({
    code: 'failed_precondition',
    message: 'the recipient is suppressed: mail to this recipient bounced for good',
  });
  expect((await send({ id: domain.id, test_type: 'NORMAL', to_email: simulatorAddresses.BOUNCE })).status).toBe(400);
  expect((await send({ id: domain.id, test_type: 'BOUNCE' })).status).toBe(200);
});

test('SendTestEmail succeeds when the queue fails: the outbox has the submission', async () => {
  Object.assign(api.submitQueue, { send: async () => Promise.reject(new Error('no answer')) });
  expect((await send({ id: domain.id, test_type: 'OOTO' })).status).toBe(200);
  expect(await submissions()).toBe(1);
});

test('SendTestEmail writes the submission and every refusal to the audit log', async () => {
  const { submission_id } = await api.ok('/domains/SendTestEmail', { id: domain.id, test_type: 'BOUNCE' });
  await send({ id: 'dom_x', test_type: 'BOUNCE' });
  const { audit_logs: logs } = (await api.ok('/audit/ListAuditLogs', { operation: 'domains/SendTestEmail' })) as { audit_logs: { status: string }[] };
  expect(logs.toSorted((one, other) => (one.status < other.status ? 1 : -1))).toMatchObject([
    {
      status: 'success',
      entity_id: domain.id,
      entity_name: 'test@other.test',
      metadata: { submission_id, test_type: 'BOUNCE', message_class: 'TRANSACTIONAL', to: simulatorAddresses.BOUNCE },
    },
    { status: 'failure', entity_id: 'dom_x', error_msg: 'there is no such domain' },
  ]);
});
