import { submissionLimits } from '../../../../contract/jmap/email-submission.ts';
import { accountSendLimitsIn } from '../../../../core/mail/account-send-limits.ts';
import type { Json } from '../jmap-deployment.ts';
import { aliceToBob, envelopeTo, submissionDeploymentPerTest } from './submission-deployment.ts';

const deployment = submissionDeploymentPerTest({ sendLimits: { perMinute: 600, perDay: 700 } });
let emailId: string;
let before: unknown;
beforeEach(async () => {
  emailId = await deployment.draft();
  before = await deployment.everything();
});
/** Every test of this file expects a refusal: nothing is stored, and nothing is queued. */
afterEach(async () => {
  expect(await deployment.everything()).toEqual(before);
});

const alice = { email: 'alice@example.test', parameters: null };
const bob = { email: 'bob@example.net', parameters: null };
const envelope = (given: unknown): Json => ({ envelope: given });

describe('a new EmailSubmission is refused', () => {
  // @requirement 8621 §7.5 submission-unknown-ids
  test('for an Identity or an Email that the account does not have, with invalidProperties', async () => {
    const bobsEmail = await deployment.draft(aliceToBob, { accountId: 'acc_bob' });
    expect(await deployment.refusal(emailId, { identityId: 'alias_bob' })).toMatchObject({ type: 'invalidProperties', properties: ['identityId'] });
    expect(await deployment.refusal(bobsEmail)).toMatchObject({ type: 'invalidProperties', properties: ['emailId'] });
    expect(await deployment.refusal('missing', { identityId: 'x' })).toMatchObject({ type: 'invalidProperties', properties: ['identityId', 'emailId'] });
  });

  test('for properties that the server sets, that are unknown, or of another type, with all their names', async () => {
    const refusal = await deployment.refusal(emailId, {
      sendAt: '2020-01-01T00:00:00Z',
      threadId: 'T',
      deliveryStatus: null,
      id: 'x',
      subject: 'x',
      envelope: 'x',
    });
    expect(refusal).toMatchObject({ type: 'invalidProperties' });
    expect((refusal['properties'] as string[]).toSorted()).toEqual(['deliveryStatus', 'envelope', 'id', 'sendAt', 'subject', 'threadId']);
    expect(await deployment.refusal(emailId, { undoStatus: 'final' })).toMatchObject({ type: 'invalidProperties', properties: ['undoStatus'] });
  });

  test.each([
    ['no mailFrom', { rcptTo: [bob] }],
    ['no rcptTo', { mailFrom: alice }],
    ['an unknown member', { mailFrom: alice, rcptTo: [bob], x: 1 }],
    ['a recipient that is no object', { mailFrom: alice, rcptTo: ['bob@example.net'] }],
    ['an unknown member of an address', { mailFrom: alice, rcptTo: [{ ...bob, name: 'Bob' }] }],
    ['parameters that are no object', { mailFrom: { ...alice, parameters: [] }, rcptTo: [bob] }],
    ['a parameter that is no text', { mailFrom: { ...alice, parameters: { HOLDFOR: 60 } }, rcptTo: [bob] }],
    ['a parameter of a recipient', { mailFrom: alice, rcptTo: [{ ...bob, parameters: { NOTIFY: 'NEVER' } }] }],
    ['an unknown parameter of the sender', { mailFrom: { ...alice, parameters: { RET: 'FULL' } }, rcptTo: [bob] }],
    ['line breaks in the name of a parameter', { mailFrom: { ...alice, parameters: { 'SIZE=1\r\nRCPT TO:<x@y.example>': '1' } }, rcptTo: [bob] }],
    ['line breaks in the value of a parameter', { mailFrom: { ...alice, parameters: { HOLDFOR: '60\r\nRCPT TO:<x@y.example>' } }, rcptTo: [bob] }],
    ['both HOLDFOR and HOLDUNTIL', { mailFrom: { ...alice, parameters: { HOLDFOR: '60', HOLDUNTIL: '2026-11-22T00:00:00Z' } }, rcptTo: [bob] }],
    ['a text in place of a number of seconds', { mailFrom: { ...alice, parameters: { HOLDFOR: 'soon' } }, rcptTo: [bob] }],
    ['a negative number of seconds', { mailFrom: { ...alice, parameters: { HOLDFOR: '-5' } }, rcptTo: [bob] }],
    ['a time in the past', { mailFrom: { ...alice, parameters: { HOLDUNTIL: '2026-11-21T07:59:59Z' } }, rcptTo: [bob] }],
    ['a time beyond maxDelayedSend', { mailFrom: { ...alice, parameters: { HOLDUNTIL: '2028-01-01T00:00:00Z' } }, rcptTo: [bob] }],
    ['a duration beyond maxDelayedSend', { mailFrom: { ...alice, parameters: { HOLDFOR: '31622401' } }, rcptTo: [bob] }],
    ['a time that does not exist', { mailFrom: { ...alice, parameters: { HOLDUNTIL: '2026-13-45T00:00:00Z' } }, rcptTo: [bob] }],
  ])('for an envelope with %s, with invalidProperties', async (_what, given) => {
    expect(await deployment.refusal(emailId, envelope(given))).toMatchObject({ type: 'invalidProperties', properties: ['envelope'] });
  });

  // @requirement 8621 §7.5 submission-forbidden-mail-from
  test.each([
    'bob@example.test',
    'alice@example.net',
    'alice@ｅxample.test',
    'ａlice@example.test',
    'alice@exam\u00adple.test',
    '',
    'alice@example.test\r\nRCPT TO:<x@y.example>',
    'Alice <alice@example.test>',
  ])('for the sender %j in the envelope, which is not the address of the Identity, with forbiddenMailFrom', async (email) => {
    expect(await deployment.refusal(emailId, envelope({ mailFrom: { ...alice, email }, rcptTo: [bob] }))).toMatchObject({ type: 'forbiddenMailFrom' });
  });

  // @requirement 8621 §7.5 submission-no-recipients
  test('for an envelope or a message without recipients, with noRecipients', async () => {
    expect(await deployment.refusal(emailId, envelopeTo([]))).toMatchObject({ type: 'noRecipients' });
    expect(await deployment.refusal(await deployment.draft(aliceToBob.slice(0, 1)))).toMatchObject({ type: 'noRecipients' });
    expect(await deployment.refusal(await deployment.draft([aliceToBob[0]!, 'To: undisclosed-recipients:;']))).toMatchObject({ type: 'noRecipients' });
  });

  // @requirement 8621 §7.5 submission-too-many-recipients
  test('for 501 recipients, with tooManyRecipients and maxRecipients', async () => {
    const emails = Array.from({ length: 501 }, (_, index) => `r${index}@example.net`);
    const refused = { type: 'tooManyRecipients', maxRecipients: 500 };
    expect(await deployment.refusal(emailId, envelopeTo(emails))).toMatchObject(refused);
    expect(await deployment.refusal(await deployment.draft([aliceToBob[0]!, `To: ${emails.join(', ')}`]))).toMatchObject(refused);
  });

  // @requirement 8621 §7.5 submission-invalid-recipients
  test('for addresses that SES does not accept, with invalidRecipients and the list of them', async () => {
    const invalid = [
      'bob',
      '@example.net',
      'bob@',
      'bob@localhost',
      'bob@[127.0.0.1]',
      'bob@example..net',
      'a..b@example.net',
      '"bob@example.net',
      'a b@example.net',
      'bob@example.net\r\nRCPT TO:<x@y.example>',
      'bob@example.net\r\nBcc: x@y.example',
      'Bob <bob@example.net>',
      'bob@example.net, carl@example.net',
      '<bob@example.net>',
      `${'x'.repeat(65)}@example.net`,
      'jürgen@example.net',
      `bob@${'x.'.repeat(130)}net`,
      'bob@ｅxample.net',
      'bob@example。net',
      'bob@exam\u00adple.net',
      'bob@ⅷ.example',
      'ｂob@ｅxample.net',
    ];
    const refusal = await deployment.refusal(emailId, envelopeTo(['fine@example.net', ...invalid]));
    expect(refusal).toMatchObject({ type: 'invalidRecipients', invalidRecipients: invalid });
    const [words] = [await deployment.refusal(emailId, envelopeTo(['jürgen@example.net']))];
    expect(words['description']).toMatch(/SMTPUTF8/);
  });

  test('for a recipient in a field of the message that is no address, with invalidRecipients', async () => {
    expect(await deployment.refusal(await deployment.draft([aliceToBob[0]!, 'To: Bob, carl@example.net']))).toMatchObject({
      type: 'invalidRecipients',
      invalidRecipients: ['Bob'],
    });
  });

  // @requirement 8621 §7.5 submission-forbidden-from
  test.each([
    ['another person', ['From: Bob <bob@example.test>']],
    ['another domain', ['From: alice@example.net']],
    ['her address as the name only', ['From: "alice@example.test" <eve@example.net>']],
    ['a full-width spelling of her domain', ['From: alice@ｅxample.test']],
    ['a full-width spelling of her address', ['From: Alice <ａlice@ｅxample.test>']],
    ['another sender', ['From: alice@example.test', 'Sender: bob@example.test']],
  ])('for a message from %s, with forbiddenFrom', async (_whom, fields) => {
    expect(await deployment.refusal(await deployment.draft([...fields, aliceToBob[1]!]))).toMatchObject({ type: 'forbiddenFrom' });
  });

  // @requirement 8621 §7.5 submission-invalid-email
  test.each([
    ['no From', [], ['from']],
    ['two addresses in From', ['From: alice@example.test, bob@example.test'], ['from']],
    ['two fields From', ['From: alice@example.test', 'From: alice@example.test'], ['from']],
    ['two fields Subject', ['From: alice@example.test', 'Subject: again'], ['subject']],
    ['a Cc at a domain that is no U-label', ['From: alice@example.test', 'Cc: carl@ｅxample.net'], ['cc']],
    ['a Cc that SES cannot send', ['From: alice@example.test', 'Cc: jürgen@example.net'], ['cc']],
    ['a field that fits no line', ['From: alice@example.test', `X-Long: ${'x'.repeat(1000)}`], ['header:X-Long']],
  ])('for a message with %s, with invalidEmail and the properties', async (_what, fields, properties) => {
    expect(await deployment.refusal(await deployment.draft([...fields, aliceToBob[1]!]), envelopeTo(['bob@example.net']))).toMatchObject({
      type: 'invalidEmail',
      properties,
    });
  });

  // @requirement 8621 §7.5 submission-too-large
  test('for a message that is too large as it is sent, with tooLarge and maxSize', async () => {
    const refused = { type: 'tooLarge', maxSize: submissionLimits.maxSizeMessage };
    const large = Buffer.concat([Buffer.from(`${aliceToBob.join('\r\n')}\r\n\r\n`), Buffer.alloc(30_500_000, 'é\r\n')]);
    expect(await deployment.refusal(await deployment.deliver({ raw: large }))).toMatchObject(refused);
    expect(await deployment.refusal(emailId, envelopeTo(['bob@example.net'], { SIZE: '40000001' }))).toMatchObject(refused);
  });

  // @requirement 8621 §7.5 submission-forbidden-to-send
  test('while the address, the domain or the person may not send, with a description', async () => {
    const refusalWith = async (key: { pk: string; sk: string }, set: { readonly [name: string]: boolean | string }) => {
      const [item] = await deployment.directory.batchGet([key]);
      await deployment.directory.write([{ update: key, set }]);
      const refusal = await deployment.refusal(emailId);
      await deployment.directory.write([{ put: item! }]);
      return refusal;
    };
    expect(await refusalWith({ pk: 'address', sk: 'alice@example.test' }, { can_send_from: false })).toMatchObject({ type: 'forbiddenFrom' });
    expect(await refusalWith({ pk: 'domain-name', sk: 'example.test' }, { send_enabled: false })).toMatchObject({ type: 'forbiddenFrom' });
    expect(await refusalWith({ pk: 'account-member#acc_alice', sk: 'alice' }, { role: 'READ' })).toMatchObject({
      type: 'forbiddenToSend',
      description: expect.stringContaining('read'),
    });
  });
});

describe('the limits of sending', () => {
  const many = (count: number, prefix: string) => envelopeTo(Array.from({ length: count }, (_, index) => `${prefix}${index}@example.net`));

  test('refuse recipients beyond the limit of a minute or of a day, with rateLimit and the time at which sending is possible again', async () => {
    await deployment.send(emailId, many(500, 'a'));
    before = await deployment.everything();
    expect(await deployment.refusal(emailId, many(101, 'b'))).toMatchObject({
      type: 'rateLimit',
      description: 'This account may send to 600 recipients a minute. Send again after 2026-11-21T08:01:00.000Z.',
    });
    deployment.later(60);
    expect(await deployment.refusal(emailId, many(201, 'b'))).toMatchObject({
      type: 'rateLimit',
      description: 'This account may send to 700 recipients a day. Send again after 2026-11-22T00:00:00.000Z.',
    });
    await deployment.send(emailId, many(200, 'b'));
    before = await deployment.everything();
  });

  test('count the messages of one call together, and do not forget destroyed submissions', async () => {
    const creating = { create: { a: { identityId: 'alias_alice', emailId, ...many(400, 'a') }, b: { identityId: 'alias_alice', emailId, ...many(400, 'b') } } };
    const response = await deployment.call('EmailSubmission/set', creating);
    expect(response).toMatchObject({ created: { a: {} }, notCreated: { b: { type: 'rateLimit' } } });
    await deployment.call('EmailSubmission/set', { destroy: [(response['created'] as Json)['a']['id']] });
    before = await deployment.everything();
    expect(await deployment.refusal(emailId, many(400, 'c'))).toMatchObject({ type: 'rateLimit' });
  });

  test('count for the account: with another client, by another member, after a new password and for a canceled submission', async () => {
    await deployment.directory.write([{ put: { pk: 'account-member#acc_alice', sk: 'bob', role: 'WRITE' } }]);
    await deployment.addMember('bob', 'acc_alice', 'WRITE', false);
    const sentBy = (token: string, count: number, prefix: string) =>
      deployment.call('EmailSubmission/set', deployment.creating(emailId, many(count, prefix)), token);
    const tooMany = { notCreated: { s: { type: 'rateLimit' } } };
    const sent = await sentBy('alice', 400, 'a');
    await deployment.call('EmailSubmission/set', { update: { [(sent['created'] as Json)['s']['id']]: { undoStatus: 'canceled' } } });
    expect(await sentBy('bob', 100, 'b')).toMatchObject({ created: { s: {} } });
    before = await deployment.everything();

    deployment.tokens['phone'] = { ...deployment.tokens['alice']!, clientId: 'phone' };
    for (const token of ['alice', 'bob', 'phone']) expect(await sentBy(token, 101, 'c')).toMatchObject(tooMany);
    await deployment.addUser('alice', { tokens_revoked_at: '2026-11-21T08:00:00.000Z' });
    deployment.tokens['alice'] = { ...deployment.tokens['alice']!, clientId: 'registered', authenticatedAt: Date.parse('2026-11-21T08:00:01Z') / 1000 };
    deployment.forgetClients();
    expect(await sentBy('alice', 101, 'c')).toMatchObject(tooMany);
    deployment.later(60);
    expect(await sentBy('alice', 201, 'c')).toMatchObject(tooMany);
    expect(await sentBy('bob', 201, 'c')).toMatchObject(tooMany);
  });
});

describe('EmailSubmission/set is refused as a whole', () => {
  test('for a token without MAIL_SEND, and for a member who may only read', async () => {
    deployment.tokens['writer'] = { ...deployment.tokens['alice']!, scopes: new Set(['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE']) };
    expect(await deployment.call('EmailSubmission/set', deployment.creating(emailId), 'writer')).toMatchObject({ type: 'forbidden' });
    expect(await deployment.call('EmailSubmission/set', deployment.creating(emailId), 'bob')).toMatchObject({ type: 'accountReadOnly' });
  });

  test('when it also changes the Email, and the token has no MAIL_WRITE', async () => {
    deployment.tokens['sender'] = { ...deployment.tokens['alice']!, scopes: new Set(['jmapApi/MAIL_READ', 'jmapApi/MAIL_SEND']) };
    const args = { ...deployment.creating(emailId), onSuccessDestroyEmail: ['#s'] };
    expect(await deployment.call('EmailSubmission/set', args, 'sender')).toMatchObject({ type: 'forbidden' });
  });

  test('for a state that is not the current one', async () => {
    expect(await deployment.call('EmailSubmission/set', { ...deployment.creating(emailId), ifInState: 'EmailSubmission-99' })).toMatchObject({
      type: 'stateMismatch',
    });
  });
});

test('the account’s own limits replace those of the deployment', async () => {
  const limits = accountSendLimitsIn(deployment.mail, { perMinute: 600, perDay: 700 });
  expect(await limits.set('acc_alice', { perMinute: 1 })).toMatchObject({ perMinute: 1, perDay: 700 });
  expect(await deployment.refusal(emailId, envelopeTo(['a@example.net', 'b@example.net']))).toMatchObject({ type: 'rateLimit' });
  expect(await limits.set('acc_alice', { perMinute: null })).toMatchObject({ perMinute: 600, perDay: 700 });
  expect(await limits.set('acc_nobody', { perMinute: 1 })).toBeUndefined();
  await deployment.send(emailId, envelopeTo(['a@example.net', 'b@example.net']));
  before = await deployment.everything();
});
