import { headKey } from '../../../../core/account-log/keys.ts';
import { account, day, deletedMail, type DeletedMail } from './destroyed-emails.ts';

let to: DeletedMail;
beforeEach(async () => {
  to = await deletedMail();
});

const used = async (): Promise<unknown> => {
  const { bytes, messages } = (await to.mail.get(headKey(account)))!;
  return { bytes, messages };
};
const items = async () =>
  (await Promise.all(['row', 'email', 'ref', 'blob', 'destroyed'].map((partition) => to.mail.query({ pk: `${account}#${partition}` })))).flat();

describe('a destroyed Email', () => {
  test('is listed with its author, subject, dates, size and the person who destroyed it, the latest first', async () => {
    const first = await to.deliver({ id: 'first' });
    const second = await to.deliver({ id: 'second' });
    const size = (await to.get(first))['size'] as number;
    await to.destroy(first);
    to.later(60);
    await to.destroy(second);
    const [latest, earlier] = await to.list();
    expect(latest).toMatchObject({ email_id: second });
    expect(earlier).toEqual({
      email_id: first,
      from: 'Übermut <sender@example.net>',
      subject: 'Subject of first',
      received_at: '2026-11-21T08:00:00.000Z',
      size,
      destroyed_at: '2026-11-21T08:00:00.000Z',
      destroyed_by: 'alice',
      recoverable_until: '2026-12-05T08:00:00.000Z',
    });
    expect(await to.list({ since: '2026-11-21T08:01:00Z' })).toHaveLength(1);
    expect(await to.list({ until: '2026-11-21T08:01:00Z' })).toMatchObject([{ email_id: first }]);
  });

  test('is listed over pages, even within one commit', async () => {
    const ids: string[] = [];
    for (let number = 0; number < 7; number++) ids.push(await to.deliver());
    await to.destroy(...ids.slice(0, 5));
    to.later(1);
    await to.destroy(...ids.slice(5));
    const listed: string[] = [];
    let page_token = '';
    do {
      const page = await to.admin.ok('/accounts/ListDestroyedEmails', { account_id: account, page_size: 2, page_token });
      listed.push(...(page['emails'] as { email_id: string }[]).map(({ email_id: id }) => id));
      page_token = page['next_page_token'] as string;
    } while (page_token !== '');
    expect(listed).toEqual([...ids.slice(5), ...ids.slice(0, 5)]);
  });

  test('is restored once with its id, Thread, keywords, Mailboxes and dates, and appears to clients as created', async () => {
    const { archive } = await to.roles();
    const id = await to.deliver({ id: 'kept', keywords: ['$seen'] });
    await to.call('Email/set', { update: { [id]: { mailboxIds: { [archive!]: true }, 'keywords/mine': true } } });
    const [before, usedBefore] = [await to.get(id), await used()];
    const { state: sinceFirst } = await to.call('Email/get', { ids: [] });
    await to.destroy(id);
    const { state } = await to.call('Email/get', { ids: [] });
    expect(await to.get(id)).toBeUndefined();
    expect((await to.restore({ email_ids: [id, id, 'Munknown'] })).body).toEqual({ restored: 1, complete: true });
    expect(await to.get(id)).toEqual(before);
    expect(await used()).toEqual(usedBefore);
    expect(await to.call('Email/changes', { sinceState: state })).toMatchObject({ created: [id], updated: [], destroyed: [] });
    expect(await to.call('Email/changes', { sinceState: sinceFirst })).toMatchObject({ created: [], updated: [id], destroyed: [] });
    expect((await to.restore({ email_ids: [id] })).body).toEqual({ restored: 0, complete: true });
    expect(await to.list()).toEqual([]);
  });

  test('is restored into the Mailbox "Restored" when its former Mailboxes no longer exist', async () => {
    const { created } = await to.call('Mailbox/set', { create: { a: { name: 'Old' } } });
    const ids = [await to.deliver(), await to.deliver()];
    const update = Object.fromEntries(ids.map((id) => [id, { mailboxIds: { [created.a.id as string]: true } }]));
    await to.call('Email/set', { update });
    await to.call('Mailbox/set', { destroy: [created.a.id], onDestroyRemoveEmails: true });
    for (const id of ids) expect((await to.restore({ email_ids: [id] })).body).toMatchObject({ restored: 1 });
    const { list } = await to.call('Mailbox/get', { ids: null });
    const restored = (list as { id: string; name: string; totalEmails: number }[]).filter(({ name }) => name === 'Restored');
    expect(restored).toMatchObject([{ totalEmails: 2 }]);
  });

  test('returns to its Thread, with a reply that was delivered in the meantime', async () => {
    const id = await to.deliver({ raw: 'Message-ID: <1@example.net>\nSubject: Plan\n\nHello\n' });
    const threadId = (await to.get(id))['threadId'] as string;
    await to.destroy(id);
    const reply = await to.deliver({ raw: 'Message-ID: <2@example.net>\nIn-Reply-To: <1@example.net>\nSubject: Re: Plan\n\nYes\n' });
    await to.restore({ email_ids: [id] });
    expect((await to.get(id))['threadId']).toBe(threadId);
    expect((await to.call('Thread/get', { ids: [threadId] }))['list'][0]['emailIds'].toSorted()).toEqual([id, reply].toSorted());
  });

  test('joins the Thread of the reply when the other Emails of its former Thread were removed in the meantime', async () => {
    const first = await to.deliver({ raw: 'Message-ID: <1@example.net>\nSubject: Plan\n\nHello\n' });
    const second = await to.deliver({ raw: 'Message-ID: <2@example.net>\nIn-Reply-To: <1@example.net>\nSubject: Re: Plan\n\nYes\n' });
    await to.destroy(first);
    to.later(13 * day);
    await to.destroy(second);
    to.later(2 * day);
    await to.index();
    await to.sweep();
    await to.cleanUp();
    await to.restore({ email_ids: [first, second] });
    expect([await to.get(first), (await to.get(second))['id']]).toEqual([undefined, second]);
    const reply = await to.deliver({ raw: 'Message-ID: <3@example.net>\nIn-Reply-To: <2@example.net>\nSubject: Re: Plan\n\nSo?\n' });
    expect((await to.get(reply))['threadId']).toBe((await to.get(second))['threadId']);
  });

  test('is in only one list after it was restored and destroyed again', async () => {
    const id = await to.deliver();
    await to.destroy(id);
    await to.restore({ email_ids: [id] });
    to.later(day);
    await to.destroy(id);
    expect(await to.list()).toMatchObject([{ email_id: id, destroyed_at: '2026-11-22T08:00:00.000Z' }]);
    // The end of its first retention removes nothing.
    to.later(13.5 * day);
    await to.index();
    await to.sweep();
    await to.cleanUp();
    expect((await to.restore({ email_ids: [id] })).body).toMatchObject({ restored: 1 });
    expect((await to.call('Email/get', { ids: [id], fetchTextBodyValues: true, properties: ['bodyValues'] }))['list'][0]['bodyValues']).toMatchObject({
      1: { value: expect.stringContaining('Hello') },
    });
  });

  test('is removed with its message at the end of the retention, and a late duplicate does not restore it', async () => {
    const id = await to.deliver({ id: 'ended' });
    await to.destroy(id);
    await to.index();
    to.later(14 * day - 60);
    expect([await to.sweep(), (await to.list()).length]).toEqual([0, 1]);
    to.later(60);
    expect(await to.list()).toEqual([]);
    expect((await to.restore({ email_ids: [id] })).body).toMatchObject({ restored: 0 });
    to.later(2 * 3600);
    expect(await to.sweep()).toBe(1);
    await to.cleanUp();
    expect(to.objects.keys()).toEqual([]);
    expect(await items()).toEqual([{ pk: `${account}#email`, sk: id, v: 1, expiresAt: expect.any(Number) as number }]);
    await to.deliver({ id: 'ended' });
    expect(await to.get(id)).toBeUndefined();
    expect(await to.sweep()).toBe(0);
  });

  test('is removed a quarter of an hour later, and not listed, when nothing is retained', async () => {
    to = await deletedMail({ days: 0 });
    await to.destroy(await to.deliver());
    expect(await to.list()).toEqual([]);
    await to.index();
    expect(to.admin.mailCleanupQueue.messages).toMatchObject([{ delaySeconds: 900 }]);
    to.later(900);
    await to.cleanUp();
    expect(to.objects.keys()).toEqual([]);
  });

  test('keeps the message that a removed copy of it refers to', async () => {
    const id = await to.deliver({ id: 'own' });
    const { blobId } = await to.get(id);
    const { created } = await to.call('Email/import', { emails: { a: { blobId, mailboxIds: { [(await to.roles())['inbox']!]: true } } } });
    await to.destroy(created.a.id as string);
    to.later(13 * day);
    await to.destroy(id);
    await to.index();
    to.later(2 * day);
    await to.sweep();
    await to.cleanUp();
    await to.restore({ email_ids: [id] });
    expect((await to.call('Email/get', { ids: [id], fetchTextBodyValues: true, properties: ['bodyValues'] }))['list'][0]['bodyValues']).toMatchObject({
      1: { value: expect.stringContaining('Hello') },
    });
  });
});

describe('RestoreEmails', () => {
  const many = async (count: number) => {
    const ids: string[] = [];
    for (let number = 0; number < count; number++) ids.push(await to.deliver());
    return ids;
  };
  const all = async () => ((await to.call('Email/query', {}))['ids'] as string[]).toSorted();

  test('restores all Emails that were destroyed since a time, and no Emails from before', async () => {
    const [early, ...ids] = await many(80);
    await to.destroy(early!);
    to.later(60);
    await to.destroy(...ids);
    expect((await to.restore({ destroyed_since: '2026-11-21T08:01:00Z' })).body).toEqual({ restored: 79, complete: true });
    expect(await all()).toEqual(ids.toSorted());
    const {
      audit_logs: [entry],
    } = (await to.admin.ok('/audit/ListAuditLogs', { operation: 'accounts/RestoreEmails' })) as { audit_logs: object[] };
    expect(entry).toMatchObject({ status: 'success', entity_id: account, entity_name: 'Alice', metadata: { restored: '79' } });
  });

  test('reports that the account is full, restores nothing beyond its quota, and continues when there is room', async () => {
    to = await deletedMail({ quotaDefaults: { octets: 1_000_000, count: 2 } });
    const ids = await many(2);
    await to.destroy(...ids);
    const more = await many(1);
    expect(await to.restore({ email_ids: ids })).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition', message: expect.stringContaining('no room') },
    });
    expect(await all()).toEqual(more);
    await to.destroy(...more);
    expect((await to.restore({ email_ids: ids })).body).toMatchObject({ restored: 2 });
  });

  test.each(['before', 'after'] as const)('a crash %s any write is completed by the next call', async (when) => {
    for (let write = 0; ; write++) {
      to = await deletedMail();
      const ids = await many(40);
      const before = (await to.call('Email/get', { ids: null }))['list'] as { id: string }[];
      await to.destroy(...ids);
      to.mail.endProcessAtWrite(write, when);
      const { status } = await to.restore({ destroyed_since: '2026-11-21T08:00:00Z' });
      to.mail.recover();
      expect((await to.restore({ destroyed_since: '2026-11-21T08:00:00Z' })).status).toBe(200);
      const after = (await to.call('Email/get', { ids: null }))['list'] as { id: string }[];
      const sorted = (list: { id: string }[]) => list.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      expect(sorted(after)).toEqual(sorted(before));
      if (status === 200) break;
      expect(write).toBeLessThan(20);
    }
  });

  test('requires one of email_ids and destroyed_since, and an existing account', async () => {
    expect(await to.restore({})).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await to.restore({ email_ids: ['M1'], destroyed_since: '2026-11-21T08:00:00Z' })).toMatchObject({ status: 400 });
    expect(await to.restore({ account_id: 'acc_none', email_ids: ['M1'] })).toMatchObject({ status: 404 });
  });

  test('each Email has one outcome when two admins restore and purge it concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      to = await deletedMail();
      const ids = await many(10);
      await to.destroy(...ids);
      const [one, two, purge] = await Promise.all([
        to.restore({ email_ids: ids }),
        to.restore({ email_ids: ids.toReversed() }),
        to.purge({ email_ids: ids.slice(0, 5) }),
      ]);
      const [restored, purged] = [Number(one.body['restored']) + Number(two.body['restored']), Number(purge.body['purged'])];
      expect([one.status, two.status, purge.status, restored + purged]).toEqual([200, 200, 200, 10]);
      to.later(3600);
      await to.cleanUp();
      const existing = await all();
      expect(existing).toHaveLength(restored);
      expect(to.objects.keys()).toHaveLength(restored);
    }
  });
});

describe('PurgeDestroyedEmails', () => {
  test('requires the name of the account, then removes the Emails immediately and permanently', async () => {
    const ids = [await to.deliver(), await to.deliver(), await to.deliver()];
    await to.destroy(...ids);
    expect(await to.purge({ name: 'Bob' })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    expect(await to.list()).toHaveLength(3);
    expect((await to.purge({ email_ids: [ids[0]] })).body).toEqual({ purged: 1, complete: true });
    expect((await to.restore({ email_ids: ids.slice(0, 2) })).body).toMatchObject({ restored: 1 });
    expect((await to.purge()).body).toEqual({ purged: 1, complete: true });
    expect(await to.list()).toEqual([]);
    to.later(900);
    await to.cleanUp();
    expect(to.objects.keys()).toHaveLength(1);
    expect(await to.mail.query({ pk: `${account}#destroyed` })).toEqual([]);
  });

  test('leaves no version of the raw message, unlike the end of a retention', async () => {
    const purged = await to.deliver();
    const messages = to.objects.keys();
    const ended = await to.deliver();
    const others = to.objects.keys().filter((key) => !messages.includes(key));
    await to.destroy(purged, ended);
    await to.index();
    await to.purge({ email_ids: [purged] });
    to.later(900);
    await to.cleanUp();
    to.later(15 * day);
    await to.sweep();
    await to.cleanUp();
    expect(to.objects.keys()).toEqual([]);
    expect([messages, others].map((keys) => keys.map((key) => to.objects.earlierVersions(key).length))).toEqual([[0], [1]]);
  });

  test('a crash before or after any write is completed by the next call', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let write = 0; ; write++) {
        to = await deletedMail();
        await to.destroy(await to.deliver(), await to.deliver());
        to.mail.endProcessAtWrite(write, when);
        const { status } = await to.purge();
        to.mail.recover();
        await to.purge();
        to.later(900);
        await to.cleanUp();
        expect(to.objects.keys()).toEqual([]);
        if (status === 200) break;
        expect(write).toBeLessThan(20);
      }
    }
  });
});
