import type { Alias } from '../../../../contract/admin/aliases.ts';
import type { Suppression } from '../../../../contract/admin/suppression.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, type AdminApi } from '../../../support/admin-api.ts';
import { createAccount, createDomain } from '../../../support/admin-resources.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { newSubmission, sendPipeline, sesEventBody, type SendPipeline } from '../../../support/send-pipeline.ts';

/* Addresses of the deployment's own domains, through both APIs: what bounced before an address existed here. */

const recipient = 'nosuch@example.test';
let api: AdminApi;
let pipeline: SendPipeline;
let domainId: string;
let accountId: string;
let count: number;

const start = async (receives: boolean, directory = memoryTable()) => {
  const [sending, mail] = [memoryTable(), memoryTable()];
  pipeline = sendPipeline({ table: sending, mailTable: mail, directory });
  api = await adminApi({ directory, sending, mail, clock: () => pipeline.clock() });
  domainId = await createDomain(api, { receive_enabled: receives });
  accountId = (await createAccount(api, { domain_id: domainId })).account_id;
  count = 0;
};

/** Sends a message to the recipient. @returns whether SES received it. */
const isSent = async (to = recipient, messageClass: 'TRANSACTIONAL' | 'BULK' = 'TRANSACTIONAL') => {
  pipeline.advance(1000);
  const before = pipeline.sender.sent.length;
  const now = pipeline.clock().toISOString();
  await pipeline.accept(
    newSubmission({ submission_id: `submission_${++count}`, recipients: [to], send_at: now, created_at: now, message_class: messageClass }),
  );
  await pipeline.submit();
  return pipeline.sender.sent.length > before;
};

/** The event of a bounce of the message that was sent last. */
const bounce = (bounceType = 'Permanent', to = recipient) => {
  pipeline.advance(1000);
  return sesEventBody(
    'Bounce',
    {
      bounce: {
        feedbackId: `bounce-${count}`,
        bounceType,
        bounceSubType: 'General',
        timestamp: pipeline.clock().toISOString(),
        bouncedRecipients: [{ emailAddress: to, action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 mailbox unavailable' }],
      },
    },
    { submission: `submission_${count}`, destination: [to] },
  );
};

const complaint = () => {
  pipeline.advance(1000);
  return sesEventBody(
    'Complaint',
    {
      complaint: {
        feedbackId: `complaint-${count}`,
        timestamp: pipeline.clock().toISOString(),
        complainedRecipients: [{ emailAddress: recipient }],
        complaintFeedbackType: 'abuse',
      },
    },
    { submission: `submission_${count}`, destination: [recipient] },
  );
};

const createAlias = async (more: object = {}) => {
  pipeline.advance(1000);
  return (await api.ok('/aliases/CreateAlias', { account_id: accountId, local_part: 'nosuch', domain_id: domainId, ...more }))['alias'] as Alias;
};
const suppression = async () => (await api.ok('/suppression/GetSuppression', { recipient }))['suppression'] as Suppression;

describe('a bounce by the deployment itself', () => {
  beforeEach(() => start(true));

  test.each(['Permanent', 'Transient'])('is recorded and reported, and suppresses nothing: %s', async (type) => {
    for (let sending = 0; sending < 4; sending++) {
      expect(await isSent()).toBe(true);
      expect(await pipeline.recordEvents(bounce(type))).toEqual([]);
    }
    expect((await pipeline.find(`submission_${count}`)).statuses[recipient]).toMatchObject({ smtp_reply: '550 5.1.1 mailbox unavailable', delivered: 'no' });
    const { feedback } = await api.ok('/mail-feedback/ListFeedbackByRecipient', { recipient });
    expect(feedback).toHaveLength(4);
    expect(await api.call('/suppression/GetSuppression', { recipient })).toMatchObject({ status: 404 });
  });

  test('suppresses nothing when its event arrives after the address was created, or twice', async () => {
    await isSent();
    const event = bounce();
    await createAlias();
    await pipeline.recordEvents(event, event);
    expect(await isSent()).toBe(true);
  });

  test('is not a complaint: mail of a class about which a person complained is not sent any more', async () => {
    await isSent();
    await pipeline.recordEvents(complaint());
    expect(await isSent()).toBe(false);
    expect(await isSent(recipient, 'BULK')).toBe(true);
  });

  test('differs from a bounce of an address outside, or at a domain that does not receive here', async () => {
    const other = await createDomain(api, { domain: 'sends.test' });
    expect(other).toEqual(expect.any(String));
    for (const to of ['ann@elsewhere.test', 'ann@sends.test', 'ann@sub.example.test']) {
      expect(await isSent(to)).toBe(true);
      await pipeline.recordEvents(bounce('Permanent', to));
      expect(await isSent(to)).toBe(false);
    }
  });
});

describe('the suppression of an address of a domain that does not receive here', () => {
  beforeEach(() => start(false));

  /** Suppresses the address by a bounce and a complaint. */
  const suppress = async () => {
    await isSent();
    await pipeline.recordEvents(bounce(), complaint());
    expect(await isSent()).toBe(false);
  };

  test.each([
    ['active', true],
    ['inactive', false],
  ])('is cleared when an alias is created for it, with the counters kept: %s', async (_, is_active) => {
    await suppress();
    await createAlias({ is_active });
    expect(await suppression()).toMatchObject({
      bounce: { level: 'NONE', count: 1, last_bounce_type: 'Permanent' },
      complaints: { transactional: { level: 'NONE', count: 1 } },
    });
    expect(await isSent()).toBe(true);
  });

  test('is cleared when an account is created for it', async () => {
    await suppress();
    pipeline.advance(1000);
    await createAccount(api, { domain_id: domainId, local_part: 'NoSuch' });
    expect(await suppression()).toMatchObject({ bounce: { level: 'NONE', count: 1 }, complaints: { transactional: { level: 'NONE', count: 1 } } });
    expect(await isSent()).toBe(true);
  });

  test('is cleared of bounces when its alias is activated, but not of its holder’s complaints', async () => {
    const { alias_id } = await createAlias({ is_active: false });
    await suppress();
    pipeline.advance(1000);
    await api.ok('/aliases/UpdateAlias', { alias_id, name: 'Sales' });
    expect(await suppression()).toMatchObject({ bounce: { level: 'HARD' } });
    await api.ok('/aliases/UpdateAlias', { alias_id, is_active: true });
    expect(await suppression()).toMatchObject({ bounce: { level: 'NONE', count: 1 }, complaints: { transactional: { level: 'PERMANENT' } } });
    expect(await isSent(recipient, 'BULK')).toBe(true);
    expect(await isSent()).toBe(false);
  });

  test('counts bounces after the address was created', async () => {
    await suppress();
    await createAlias();
    expect(await isSent()).toBe(true);
    await pipeline.recordEvents(bounce());
    expect(await suppression()).toMatchObject({ bounce: { level: 'HARD', count: 2 } });
  });

  test('does not count bounces before the creation of the address that are reported later', async () => {
    await suppress();
    const late = bounce();
    await createAlias();
    await pipeline.recordEvents(late);
    expect(await suppression()).toMatchObject({ bounce: { level: 'NONE', count: 2 } });
  });

  test.each(['before', 'after'] as const)('is cleared together with the creation, whose Lambda dies %s the write', async (when) => {
    const directory = failingTable(memoryTable());
    await start(false, directory);
    await suppress();
    directory.endProcessAtWrite(0, when);
    await api.call('/aliases/CreateAlias', { account_id: accountId, local_part: 'nosuch', domain_id: domainId });
    directory.recover();
    const { aliases } = await api.ok('/aliases/ListAccountAliases', { account_id: accountId });
    const isCreated = (aliases as Alias[]).some(({ email }) => email === recipient);
    expect(isCreated).toBe(when === 'after');
    expect((await suppression()).bounce.level).toBe(isCreated ? 'NONE' : 'HARD');
  });

  test('is cleared when another bounce is recorded during the creation', async () => {
    await suppress();
    const creations = [createAlias(), pipeline.recordEvents(bounce('Permanent'))];
    await Promise.all(creations);
    expect(await suppression()).toMatchObject({ bounce: { count: 2 } });
    expect((await api.ok('/aliases/ListAccountAliases', { account_id: accountId }))['aliases']).toHaveLength(2);
  });
});
