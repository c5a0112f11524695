import { changedSubscriptions, isSubscribedBy, mergeSubscriptions, withSubscription } from '../../../../core/account-log/records/member-subscriptions.ts';
import type { MailboxRecord } from '../../../../core/mail/mailbox/mailbox-record.ts';

const mailbox = (isSubscribed: boolean, ...subscribers: string[]): MailboxRecord => ({
  id: 'F1',
  name: 'Plans',
  parentId: null,
  role: null,
  sortOrder: 0,
  isSubscribed,
  ...(subscribers.length > 0 && { subscribers }),
});

describe('subscriptions of a Mailbox', () => {
  test('are stored for the owner, and for other members by principal id', () => {
    expect([null, 'one', 'two'].map((member) => isSubscribedBy(mailbox(false, 'one'), member))).toEqual([false, true, false]);
  });

  test('of a member do not affect other members, and an empty list is not stored', () => {
    expect(withSubscription(mailbox(true), 'one', true)).toEqual(mailbox(true, 'one'));
    expect(withSubscription(mailbox(true, 'one', 'two'), 'one', false)).toEqual(mailbox(true, 'two'));
    expect(withSubscription(mailbox(true, 'one'), 'one', false)).toEqual(mailbox(true));
    expect(withSubscription(mailbox(true, 'one'), null, false)).toEqual(mailbox(false, 'one'));
    expect(withSubscription(mailbox(true, 'one'), 'one', true)).toEqual(mailbox(true, 'one'));
  });

  test('that differ are listed by member', () => {
    expect(changedSubscriptions(mailbox(true, 'one', 'two'), mailbox(false, 'two', 'three'))).toEqual([null, 'one', 'three']);
    expect(changedSubscriptions(mailbox(true, 'one'), mailbox(true, 'one'))).toEqual([]);
  });

  test('that two members change at the same time are merged', () => {
    const from = mailbox(true, 'one', 'two');
    const mine = mailbox(true, 'two', 'three');
    const theirs = mailbox(false, 'one', 'two', 'four');
    expect(mergeSubscriptions({ ...theirs, name: 'Merged' }, theirs, from, mine)).toEqual({ ...mailbox(false, 'two', 'four', 'three'), name: 'Merged' });
  });
});
