import { mailboxesOf } from '../../../../core/mail/mailbox/mailbox-record.ts';
import type { Json } from '../jmap-deployment.ts';
import { aliceToBob, envelopeTo, submissionDeploymentPerTest } from './submission-deployment.ts';

const deployment = submissionDeploymentPerTest();

describe('the capability of submission', () => {
  // @requirement 8621 §1.3.2 submission-capability
  test('advertises in each account how long a message may be held, and the SMTP extensions of an envelope', async () => {
    const { body } = await deployment.http('GET', '/.well-known/jmap');
    const session = JSON.parse(body!) as Json;
    expect(session['capabilities']['urn:ietf:params:jmap:submission']).toEqual({});
    expect(session['accounts']['acc_alice']['accountCapabilities']['urn:ietf:params:jmap:submission']).toEqual({
      maxDelayedSend: 31_622_400,
      submissionExtensions: { FUTURERELEASE: ['31622400'], SIZE: ['40000000'] },
    });
    expect(session['primaryAccounts']['urn:ietf:params:jmap:submission']).toBe('acc_alice');
  });
});

describe('EmailSubmission/set create', () => {
  // @requirement 8621 §7 submission-server-set
  // @requirement 8621 §7 submission-delivery-status
  test('accepts a message: the response has sendAt, undoStatus and all other properties that the client omitted', async () => {
    const emailId = await deployment.draft();
    const [{ threadId }] = (await deployment.call('Email/get', { ids: [emailId], properties: ['threadId'] }))['list'] as [Json];
    expect(await deployment.send(emailId)).toEqual({
      id: expect.any(String),
      threadId,
      sendAt: '2026-11-21T08:00:00Z',
      undoStatus: 'pending',
      envelope: { mailFrom: { email: 'alice@example.test', parameters: null }, rcptTo: [{ email: 'bob@example.net', parameters: null }] },
      deliveryStatus: { 'bob@example.net': { smtpReply: '250 2.0.0 queued', delivered: 'queued', displayed: 'unknown' } },
      dsnBlobIds: [],
      mdnBlobIds: [],
    });
  });

  test('queues the submission after it is stored, with its outbox entry', async () => {
    const { id } = await deployment.send(await deployment.draft());
    expect(deployment.submits.waiting).toEqual([{ body: JSON.stringify({ submission_id: id, part: 0 }), delaySeconds: 0 }]);
    expect(await deployment.sending.query({ pk: 'outbox' })).toMatchObject([{ submission_id: id, part: 0 }]);
    expect((await deployment.submissions.find(id as string))!.submission).toMatchObject({
      account_id: 'acc_alice',
      user_id: 'alice',
      identity_id: 'alias_alice',
      mail_from: 'alice@example.test',
      undo_status: 'pending',
      has_record: true,
    });
  });

  // @requirement 8621 §7.5 submission-removes-bcc
  test('sends to Bcc without the field Bcc, which stays in the Email', async () => {
    const emailId = await deployment.draft([...aliceToBob, 'Bcc: secret@example.org']);
    const { id, envelope } = await deployment.send(emailId);
    expect((envelope as Json)['rcptTo']).toMatchObject([{ email: 'bob@example.net' }, { email: 'secret@example.org' }]);
    expect(await deployment.outgoing(id as string)).not.toMatch(/secret|bcc/i);
    expect((await deployment.call('Email/get', { ids: [emailId], properties: ['bcc'] }))['list']).toMatchObject([{ bcc: [{ email: 'secret@example.org' }] }]);
  });

  // @requirement 8621 §7 submission-envelope-derived
  test('derives the recipients from To, Cc and Bcc, each once, in groups too', async () => {
    const emailId = await deployment.draft([
      'From: alice@example.test',
      'To: Bob <bob@example.net>, Team: Carl <carl@example.net>, BOB@example.net;',
      'Cc: "d e"@example.net, f@BÜCHER.example',
      'Bcc: carl@EXAMPLE.net',
    ]);
    const { envelope } = await deployment.send(emailId);
    expect(((envelope as Json)['rcptTo'] as Json[]).map(({ email }) => email as string).map((email) => email.toLowerCase())).toEqual([
      'bob@example.net',
      'carl@example.net',
      '"d e"@example.net',
      'f@xn--bcher-kva.example',
    ]);
  });

  test('uses the given envelope instead of the fields', async () => {
    const { id } = await deployment.send(await deployment.draft(), envelopeTo(['other@example.org']));
    expect(await deployment.get(id as string)).toMatchObject(envelopeTo(['other@example.org']));
  });

  test('sends to each mailbox once, in the form with the least quotes (RFC 5321 §4.1.2)', async () => {
    const given = ['"bob"@example.net', 'bob@example.net', String.raw`"b\ob"@Example.net`, '"a b"@example.net', String.raw`"a\ b"@example.net`];
    const { id } = await deployment.send(await deployment.draft(), envelopeTo(given));
    expect(await deployment.get(id as string)).toMatchObject(envelopeTo(['bob@example.net', '"a b"@example.net']));
  });

  test('sends from the address of the Identity, however the envelope or the message spell it', async () => {
    const given = { mailFrom: { email: '"alice"@EXAMPLE.test' }, rcptTo: [{ email: 'bob@example.net' }] };
    const { envelope, id } = await deployment.send(await deployment.draft(), { envelope: given });
    expect(await deployment.get(id as string)).toMatchObject(envelopeTo(['bob@example.net']));
    expect(envelope).toMatchObject({ mailFrom: { email: 'alice@example.test' } });
    const derived = await deployment.send(await deployment.draft(['From: "alice"@Example.TEST', aliceToBob[1]!]));
    expect(derived['envelope']).toMatchObject({ mailFrom: { email: 'alice@example.test' } });
  });

  test('replaces a From that is a group with another name by the address of the Identity', async () => {
    const { id } = await deployment.send(await deployment.draft(['From: ceo@bank.test: alice@example.test;', aliceToBob[1]!]));
    expect((await deployment.outgoing(id as string)).match(/^from:.*/gim)).toEqual(['From: alice@example.test']);
  });

  // @pitfall client envelope-spelling
  test('accepts mailfrom as mailFrom, because aerc writes it this way', async () => {
    const rcptTo = [{ email: 'other@example.org' }];
    const { id } = await deployment.send(await deployment.draft(), { envelope: { mailfrom: { email: 'alice@example.test' }, rcptTo } });
    expect(await deployment.get(id as string)).toMatchObject(envelopeTo(['other@example.org']));
    const forged = { envelope: { mailfrom: { email: 'bob@example.test' }, rcptTo } };
    expect(await deployment.refusal(await deployment.draft(), forged)).toMatchObject({ type: 'forbiddenMailFrom' });
  });

  test('sends an Email that the same request creates', async () => {
    const { drafts } = await deployment.roles();
    const responses = await deployment.perform([
      [
        'Email/set',
        {
          create: {
            draft: {
              mailboxIds: { [drafts!]: true },
              from: [{ email: 'alice@example.test' }],
              to: [{ email: 'bob@example.net' }],
              subject: 'Plan',
              textBody: [{ partId: 't', type: 'text/plain' }],
              bodyValues: { t: { value: 'Hello' } },
            },
          },
        },
      ],
      ['EmailSubmission/set', { create: { s: { identityId: 'alias_alice', emailId: '#draft' } } }],
    ]);
    const { id } = responses[1]![1]['created']['s'] as Json;
    expect(await deployment.outgoing(id as string)).toContain('\r\nSubject: Plan\r\n');
  });

  test('sends to 500 recipients in ten parts', async () => {
    const emails = Array.from({ length: 500 }, (_, index) => `r${index}@example.net`);
    const { id } = await deployment.send(await deployment.draft(), envelopeTo(emails));
    expect(deployment.submits.waiting).toHaveLength(10);
    const { envelope, deliveryStatus } = await deployment.get(id as string);
    expect((envelope as Json)['rcptTo'].map(({ email }: Json) => email)).toEqual(emails);
    expect(Object.keys(deliveryStatus as Json)).toHaveLength(500);
  });

  // @requirement 8621 §7 submission-send-at
  test.each([
    ['HOLDFOR', '3600', '2026-11-21T09:00:00Z'],
    ['holduntil', '2026-11-28T09:00:00+01:00', '2026-11-28T08:00:00Z'],
  ])('holds a message until the time of %s', async (name, value, sendAt) => {
    const created = await deployment.send(await deployment.draft(), envelopeTo(['bob@example.net'], { [name]: value }));
    expect(created).toMatchObject({ sendAt });
    expect(deployment.submits.waiting).toEqual([]);
    expect(await deployment.get(created['id'] as string)).toMatchObject({ envelope: { mailFrom: { parameters: { [name]: value } } }, sendAt });
  });
});

describe('EmailSubmission/set update', () => {
  const update = async (id: unknown, patch: Json) => deployment.call('EmailSubmission/set', { update: { [id as string]: patch } });

  // @requirement 8621 §7 submission-undo
  test('cancels a pending submission: nothing remains to be sent', async () => {
    const { id } = await deployment.send(await deployment.draft());
    expect(await update(id, { undoStatus: 'canceled' })).toMatchObject({ updated: { [id as string]: null }, notUpdated: null });
    expect(await deployment.get(id as string)).toMatchObject({ undoStatus: 'canceled' });
    expect((await deployment.submissions.find(id as string))!.submission.undo_status).toBe('canceled');
    expect(await deployment.sending.query({ pk: 'outbox' })).toEqual([]);
    expect(await deployment.objects.list('outgoing/')).toEqual([]);
    const { address } = (await deployment.submissions.find(id as string))!.parts[0]!.recipients[0]!;
    expect(await deployment.sending.query({ pk: `sent-mail-address#${address}` })).toMatchObject([{ id }]);
  });

  test('changes nothing when the undo status is the same', async () => {
    const { id } = await deployment.send(await deployment.draft());
    const before = await deployment.everything();
    expect(await update(id, { undoStatus: 'pending' })).toMatchObject({ updated: { [id as string]: null } });
    expect(await deployment.everything()).toEqual(before);
  });

  test('accepts the whole object as the client got it', async () => {
    const { id } = await deployment.send(await deployment.draft());
    expect(await update(id, { ...(await deployment.get(id as string)), undoStatus: 'canceled' })).toMatchObject({ updated: { [id as string]: null } });
  });

  test('refuses a property that cannot change, with invalidProperties', async () => {
    const { id } = await deployment.send(await deployment.draft());
    const refused = await update(id, { identityId: 'other', sendAt: '2027-01-01T00:00:00Z', undoStatus: 'final' });
    expect(refused['notUpdated'][id as string]).toMatchObject({ type: 'invalidProperties', properties: ['identityId', 'sendAt'] });
    expect((await update(id, { undoStatus: 'final' }))['notUpdated'][id as string]).toMatchObject({ type: 'invalidProperties', properties: ['undoStatus'] });
  });

  // @requirement 8621 §7.5 submission-cannot-unsend
  test('refuses to cancel a submission that is final or canceled elsewhere, with cannotUnsend', async () => {
    const { id } = await deployment.send(await deployment.draft());
    const found = (await deployment.submissions.find(id as string))!;
    const part = found.parts[0]!;
    const { writes } = deployment.submissions.replaceWrites({ submission: found.submission, part }, { ...part, state: 'sending' });
    await deployment.sending.write(writes);
    const before = await deployment.state();
    expect((await update(id, { undoStatus: 'canceled' }))['notUpdated'][id as string]).toMatchObject({ type: 'cannotUnsend' });
    expect(await deployment.state()).toBe(before);
  });
});

describe('EmailSubmission/set destroy', () => {
  // @requirement 8621 §7.5 submission-destroy-sends
  test('removes the record only: the message is sent nevertheless', async () => {
    const { id } = await deployment.send(await deployment.draft());
    const queued = deployment.submits.waiting;
    expect(await deployment.call('EmailSubmission/set', { destroy: [id] })).toMatchObject({ destroyed: [id] });
    expect(await deployment.call('EmailSubmission/get', { ids: [id] })).toMatchObject({ list: [], notFound: [id] });
    expect((await deployment.submissions.find(id as string))!.submission.undo_status).toBe('pending');
    expect(deployment.submits.waiting).toEqual(queued);
    expect(await deployment.outgoing(id as string)).toContain('Hello');
  });

  // @requirement 8621 §7.5 submission-email-destroyed
  test('of the Email does not change the submission', async () => {
    const emailId = await deployment.draft();
    const { id } = await deployment.send(emailId);
    await deployment.call('Email/set', { destroy: [emailId] });
    expect(await deployment.get(id as string)).toMatchObject({ emailId, undoStatus: 'pending' });
    expect(await deployment.outgoing(id as string)).toContain('Hello');
  });
});

describe('onSuccessUpdateEmail and onSuccessDestroyEmail', () => {
  const moveToSent = async () => {
    const { sent, inbox } = await deployment.roles();
    return { [`mailboxIds/${sent}`]: true, [`mailboxIds/${inbox}`]: null, 'keywords/$seen': true };
  };
  const mailboxIds = async (emailId: string) => {
    const { list } = await deployment.call('Email/get', { ids: [emailId], properties: ['mailboxIds'] });
    return Object.keys((list as Json[])[0]!['mailboxIds'] as Json);
  };

  // @requirement 8621 §7.5 submission-on-success
  test('change the Email by an Email/set whose response follows, under the same call id', async () => {
    const emailId = await deployment.draft();
    const responses = await deployment.perform([
      ['EmailSubmission/set', { ...deployment.creating(emailId), onSuccessUpdateEmail: { '#s': await moveToSent() } }],
      ['Core/echo', {}],
    ]);
    expect(responses.map(([name, , id]) => [name, id])).toEqual([
      ['EmailSubmission/set', 'c0'],
      ['Email/set', 'c0'],
      ['error', 'c1'],
    ]);
    expect(responses[1]![1]).toMatchObject({ updated: { [emailId]: null } });
    expect(await mailboxIds(emailId)).toEqual([(await deployment.roles())['sent']]);
  });

  test('destroy the Email of a created submission', async () => {
    const emailId = await deployment.draft();
    const responses = await deployment.perform([['EmailSubmission/set', { ...deployment.creating(emailId), onSuccessDestroyEmail: ['#s'] }]]);
    expect(responses[1]![1]).toMatchObject({ destroyed: [emailId] });
  });

  test('do nothing for a submission that is refused, or that the call does not change', async () => {
    const [first, second] = [await deployment.draft(), await deployment.draft(['From: other@example.net', 'To: b@example.net'])];
    const { id } = await deployment.send(first);
    const responses = await deployment.perform([
      [
        'EmailSubmission/set',
        {
          ...deployment.creating(second),
          onSuccessUpdateEmail: { '#s': await moveToSent(), [id as string]: await moveToSent() },
          onSuccessDestroyEmail: ['#s', id],
        },
      ],
    ]);
    expect(responses).toHaveLength(1);
    expect((await deployment.call('Email/get', { ids: [first, second] }))['list']).toHaveLength(2);
  });

  test('apply to submissions that the call updates or destroys', async () => {
    const [first, second] = [await deployment.draft(), await deployment.draft()];
    const [{ id: canceled }, { id: destroyed }] = [await deployment.send(first), await deployment.send(second)];
    const responses = await deployment.perform([
      [
        'EmailSubmission/set',
        {
          update: { [canceled as string]: { undoStatus: 'canceled' } },
          destroy: [destroyed],
          onSuccessUpdateEmail: { [canceled as string]: { 'keywords/$draft': true } },
          onSuccessDestroyEmail: [destroyed],
        },
      ],
    ]);
    expect(responses[1]![1]).toMatchObject({ updated: { [first]: null }, destroyed: [second] });
  });
});

describe('the calls of DynamoDB for an EmailSubmission/set', () => {
  test('are as many for ten new submissions as for one', async () => {
    const [warm, single, ...emailIds] = await Promise.all(Array.from({ length: 12 }, () => deployment.draft()));
    await deployment.send(warm!);
    const create = Object.fromEntries(emailIds.map((emailId, index) => [`s${index}`, { identityId: 'alias_alice', emailId }]));
    const one = await deployment.tripsOf(() => deployment.send(single!));
    expect(await deployment.tripsOf(() => deployment.call('EmailSubmission/set', { create }))).toBe(one);
    expect(one).toBeLessThanOrEqual(4);
  });
});

describe('EmailSubmission/get', () => {
  // @requirement 8621 §7.1 submission-get
  test('reads the submissions of a call in one trip, and nothing when no property needs it', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.push((await deployment.send(await deployment.draft()))['id'] as string);
    const withStatus = await deployment.tripsOf(() => deployment.call('EmailSubmission/get', { ids }));
    const without = await deployment.tripsOf(() => deployment.call('EmailSubmission/get', { ids, properties: ['undoStatus'] }));
    expect(withStatus - without).toBe(1);
  });
});

describe('EmailSubmission/changes', () => {
  // @requirement 8621 §7.2 submission-changes
  test('reports what is created, canceled and destroyed', async () => {
    const { id } = await deployment.send(await deployment.draft());
    const before = await deployment.state();
    const { id: next } = await deployment.send(await deployment.draft());
    await deployment.call('EmailSubmission/set', { update: { [id as string]: { undoStatus: 'canceled' } } });
    expect(await deployment.call('EmailSubmission/changes', { sinceState: before })).toMatchObject({ created: [next], updated: [id], destroyed: [] });
  });
});

describe('EmailSubmission/query', () => {
  let ids: string[];
  let emails: string[];
  beforeEach(async () => {
    emails = [await deployment.draft(), await deployment.draft()];
    ids = [];
    for (const [index, emailId] of [emails[0]!, emails[1]!, emails[0]!].entries()) {
      deployment.later(60);
      const held = index === 2 ? envelopeTo(['bob@example.net'], { HOLDFOR: '3600' }) : {};
      ids.push((await deployment.send(emailId, held))['id'] as string);
    }
    await deployment.call('EmailSubmission/set', { update: { [ids[0]!]: { undoStatus: 'canceled' } } });
  });

  const query = async (filter: Json | null, sort: readonly Json[] | null = [{ property: 'sentAt' }]) =>
    (await deployment.call('EmailSubmission/query', { filter, sort }))['ids'];

  // @requirement 8621 §7.3 submission-query
  test('filters by each condition', async () => {
    expect(await query(null)).toEqual(ids);
    expect(await query({ emailIds: [emails[0]!] })).toEqual([ids[0], ids[2]]);
    expect(await query({ identityIds: ['alias_alice'] })).toEqual(ids);
    expect(await query({ identityIds: ['alias_bob'] })).toEqual([]);
    expect(await query({ undoStatus: 'canceled' })).toEqual([ids[0]]);
    const [{ sendAt, threadId }] = [await deployment.get(ids[1]!)];
    expect(await query({ before: sendAt })).toEqual([ids[0]]);
    expect(await query({ after: sendAt })).toEqual([ids[1], ids[2]]);
    expect(await query({ threadIds: [threadId], undoStatus: 'pending' })).toEqual(expect.arrayContaining([ids[1]]));
    expect(await query({ operator: 'NOT', conditions: [{ undoStatus: 'pending' }] })).toEqual([ids[0]]);
  });

  test('sorts by emailId, threadId, sentAt and sendAt', async () => {
    expect(await query(null, [{ property: 'sendAt', isAscending: false }])).toEqual(ids.toReversed());
    const byEmail = (await query(null, [{ property: 'emailId' }, { property: 'sentAt' }])) as string[];
    expect(byEmail.indexOf(ids[2]!) - byEmail.indexOf(ids[0]!)).toBe(1);
    expect(await query(null, [{ property: 'threadId' }])).toHaveLength(3);
    expect((await deployment.call('EmailSubmission/query', { sort: [{ property: 'undoStatus' }] }))['type']).toBe('unsupportedSort');
    expect((await deployment.call('EmailSubmission/query', { filter: { subject: 'x' } }))['type']).toBe('unsupportedFilter');
  });

  // @requirement 8621 §7.4 submission-query-changes
  test('has changes after a cancellation', async () => {
    const filter = { undoStatus: 'pending' };
    const { queryState } = await deployment.call('EmailSubmission/query', { filter });
    await deployment.call('EmailSubmission/set', { update: { [ids[1]!]: { undoStatus: 'canceled' } } });
    expect(await deployment.call('EmailSubmission/queryChanges', { filter, sinceQueryState: queryState })).toMatchObject({ removed: [ids[1]], added: [] });
  });
});

test('sending does not change the mailboxes of the account', async () => {
  const before = mailboxesOf((await deployment.store.open('acc_alice'))!).all().length;
  await deployment.send(await deployment.draft());
  expect(mailboxesOf((await deployment.store.open('acc_alice'))!).all()).toHaveLength(before);
});
