import type { MailFeedback, SentMessage } from '../../../../contract/admin/mail-feedback.ts';
import type { ReceivedMessage } from '../../../../contract/admin/received-mail.ts';
import type { User } from '../../../../contract/admin/users.ts';
import { directoryKeys } from '../../../../contract/deployment/keys.ts';
import { membersIn } from '../../../../core/directory/users/members.ts';
import { userRemovalsIn } from '../../../../core/directory/users/user-removals.ts';
import type { ReceivedEntry } from '../../../../core/mail/delivery/received-message.ts';
import { receivedMessagesIn } from '../../../../core/mail/delivery/received-messages.ts';
import { newId } from '../../../../core/runtime/ids.ts';
import { mailFeedbackIn } from '../../../../core/sending/feedback/mail-feedback.ts';
import { removeUsers } from '../../../../lambdas/account-removal/remove-users.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { storeLimitedAdmins, type AdminApi } from '../../../support/admin-api.ts';
import { newSubmission, sendPipeline } from '../../../support/send-pipeline.ts';
import { withRemoval } from '../../account-removal/removal.ts';

const at = '2026-11-21T08:38:00.000Z';

/** An account of an admin and one of a person, with mail received by each and by both, and mail sent and bounced of each. */
const firm = async () => {
  const sending = memoryTable();
  const clock = () => new Date(Date.parse(at) + 60_000);
  const api = await withRemoval({ sending, clock });
  await storeLimitedAdmins(api);
  const userOf = async (email: string) => ((await api.ok('/users/CreateUser', { email }))['user'] as User).user_id;
  const users = { admin: await userOf('ada@example.test'), person: await userOf('ben@example.test') };
  await api.ok('/users/UpdateUser', { user_id: users.admin, is_admin: true });
  const accounts = { admin: await api.create('the-admin', users.admin), person: await api.create('the-person', users.person) };
  const names = Object.keys(accounts) as (keyof typeof accounts)[];
  const entry = (name: keyof typeof accounts, n: number): [string, ReceivedEntry] => [`the-${name}@example.test`, { n, account: accounts[name] }];
  for (const to of [...names.map((name) => [name]), names]) {
    await receivedMessagesIn(sending).record({
      sesMessageId: to.join('-'),
      at,
      sender: 'ann@elsewhere.test',
      size: 1,
      isJunk: false,
      verdicts: {},
      recipients: Object.fromEntries(to.map(entry)),
    });
  }
  const pipeline = sendPipeline({ table: sending });
  for (const name of names) {
    await pipeline.accept(newSubmission({ submission_id: `submission_${name}`, account_id: accounts[name], created_at: at, send_at: at }));
    const feedback: MailFeedback = {
      id: `feedback_${name}`,
      type: 'BOUNCE',
      message_class: 'BULK',
      recipient: 'ann@elsewhere.test',
      identity_id: 'dom_1',
      timestamp: at,
      account_id: accounts[name],
      provider_message_id: name,
    };
    await mailFeedbackIn(sending).add(feedback, new Date(at));
  }
  await pipeline.submit();
  const removals = {
    account: async (name: keyof typeof accounts) => {
      await api.ok('/accounts/DeleteAccount', { account_id: accounts[name] });
      await api.workAll();
    },
    user: async (name: keyof typeof accounts) => {
      await api.ok('/users/DeleteUser', { user_id: users[name] });
      const { directory, identityProvider, trail } = api;
      await removeUsers({ userRemovals: userRemovalsIn(directory), users: api.users, members: membersIn(directory), identityProvider, trail, newId, clock });
    },
  };
  return { api, accounts, removals };
};

type Caller = Pick<AdminApi, 'call'>;

const listed = async <T>(api: Caller, method: string, field: string, token: string, request: object = {}) =>
  (await api.call(`/mail-feedback/${method}`, request, token)).body[field] as T[];
const recipientsOf = async (api: Caller, token: string) =>
  (await listed<ReceivedMessage>(api, 'ListReceivedMessages', 'messages', token)).map(({ recipients = [] }) => recipients.map(({ address }) => address).join());

/** All that a caller sees of the mail that each account received and sent, and of its bounces. */
const seenBy = async (api: Caller, token: string) => ({
  received: [...new Set((await recipientsOf(api, token)).flatMap((addresses) => addresses.split(',')))].sort(),
  sent: (await listed<SentMessage>(api, 'ListSentMessages', 'messages', token, { address: 'ann@elsewhere.test' })).map(({ submission_id: id }) => id).sort(),
  bounced: (await listed<MailFeedback>(api, 'ListRecentFeedback', 'feedback', token)).map(({ id }) => id).sort(),
});

type Firm = Awaited<ReturnType<typeof firm>>;

describe('HELPDESK sees the mail of a person and none of an admin', () => {
  const cases: readonly (readonly [what: string, happens: (firm: Firm, name: 'admin' | 'person') => Promise<void>])[] = [
    ['when the account is removed', ({ removals }, name) => removals.account(name)],
    ['when the owner is removed', ({ removals }, name) => removals.user(name)],
    [
      'when the account is removed, then the owner',
      async ({ removals }, name) => {
        await removals.account(name);
        await removals.user(name);
      },
    ],
    [
      'when the owner is removed, then the account',
      async ({ removals }, name) => {
        await removals.user(name);
        await removals.account(name);
      },
    ],
  ];
  test.each(cases)('%s', async (_what, happens) => {
    const to = await firm();
    for (const name of ['admin', 'person'] as const) await happens(to, name);
    expect(await seenBy(to.api, 'helpdesk')).toEqual({ received: ['the-person@example.test'], sent: ['submission_person'], bounced: ['feedback_person'] });
    expect(await seenBy(to.api, 'admin')).toEqual({
      received: ['the-admin@example.test', 'the-person@example.test'],
      sent: ['submission_admin', 'submission_person'],
      bounced: ['feedback_admin', 'feedback_person'],
    });
  });

  test('except when an earlier version removed the account or the owner', async () => {
    for (const key of ['removedAccount', 'admin'] as const) {
      const to = await firm();
      await to.removals.account('person');
      await to.removals.user('person');
      for (const { sk } of await to.api.directory.query({ pk: directoryKeys[key]('').pk })) await to.api.directory.write([{ delete: directoryKeys[key](sk) }]);
      expect(await seenBy(to.api, 'helpdesk')).toEqual({ received: [], sent: [], bounced: [] });
    }
  });

  test('and reads and changes nothing in the account of an admin who was removed', async () => {
    const { api, accounts, removals } = await firm();
    for (const name of ['admin', 'person'] as const) await removals.user(name);
    const statuses = async (account_id: string) => [
      (await api.call('/accounts/ListDestroyedEmails', { account_id }, 'helpdesk')).status,
      (await api.call('/accounts/PutAccountMember', { account_id, user_id: 'user_person', role: 'READ' }, 'helpdesk')).status,
    ];
    expect([await statuses(accounts.admin), await statuses(accounts.person)]).toEqual([
      [403, 403],
      [200, 200],
    ]);
    const { group } = await api.ok('/aliases/CreateGroup', { name: 'team', local_part: 'team', domain_id: api.domain_id });
    const { group_id } = group as { group_id: string };
    const added = async (name: string) =>
      (await api.call('/aliases/AddGroupMembers', { group_id, addresses: [`the-${name}@example.test`] }, 'helpdesk')).status;
    expect([await added('admin'), await added('person')]).toEqual([403, 200]);
  });
});

describe('HELPDESK sees nothing of the mail of an admin', () => {
  test('that was received: neither a message, nor that an admin is among its recipients', async () => {
    const { api } = await firm();
    const [admin, person] = ['the-admin@example.test', 'the-person@example.test'];
    expect((await recipientsOf(api, 'admin')).sort()).toEqual([admin, `${admin},${person}`, person]);
    expect(await recipientsOf(api, 'helpdesk')).toEqual([person, person]);
    for (const { received_id, recipients } of await listed<ReceivedMessage>(api, 'ListReceivedMessages', 'messages', 'admin')) {
      const { status, body } = await api.call('/mail-feedback/GetReceivedMessage', { received_id }, 'helpdesk');
      const seen = recipients!.filter(({ address }) => address === person).map(({ address }) => address);
      expect([status, (body['message'] as ReceivedMessage | undefined)?.recipients?.map(({ address }) => address)]).toEqual(
        seen.length > 0 ? [200, seen] : [404, undefined],
      );
    }
  });

  test('that was sent, found by any address or by its id', async () => {
    const { api } = await firm();
    const ids = async (token: string, request: object) =>
      (await listed<SentMessage>(api, 'ListSentMessages', 'messages', token, request)).map(({ submission_id: id }) => id).sort();
    expect(await ids('admin', { address: 'ann@elsewhere.test' })).toEqual(['submission_admin', 'submission_person']);
    expect(await ids('helpdesk', { address: 'ann@elsewhere.test' })).toEqual(['submission_person']);
    expect(await ids('helpdesk', { submission_id: 'submission_admin' })).toEqual([]);
  });

  test.each([
    ['ListRecentFeedback', {}],
    ['ListFeedbackByIdentity', { identity_id: 'dom_1' }],
    ['ListFeedbackByRecipient', { recipient: 'ann@elsewhere.test' }],
  ])('that bounced: %s', async (method, request) => {
    const { api } = await firm();
    const ids = async (token: string) => (await listed<MailFeedback>(api, method, 'feedback', token, request)).map(({ id }) => id).sort();
    expect(await ids('admin')).toEqual(['feedback_admin', 'feedback_person']);
    for (const token of ['helpdesk', 'read-only']) expect(await ids(token)).toEqual(['feedback_person']);
  });

  test('that was deleted', async () => {
    const { api, accounts } = await firm();
    const statusOf = async (account_id: string, token: string) => (await api.call('/accounts/ListDestroyedEmails', { account_id }, token)).status;
    expect([await statusOf(accounts.admin, 'admin'), await statusOf(accounts.admin, 'helpdesk'), await statusOf(accounts.person, 'helpdesk')]).toEqual([
      200, 403, 200,
    ]);
  });
});
