import { headKey, logKey } from '../../../../core/account-log/keys.ts';
import { emailsOf } from '../../../../core/mail/email/email-type.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import { findAccountStates, decodeAccountStates, typeStateAfter } from '../../../../core/push/listeners/account-states.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { mailCommit, newEmail } from '../../../support/email-fixtures.ts';

describe('AccountStates', () => {
  const setUp = async () => {
    const table = memoryTable();
    const store = mailStore({ table });
    await store.createAccount('acc_1');
    return { table, store, states: async () => (await findAccountStates(table, ['acc_1']))[0]! };
  };

  test('of a new account contain only a change of Mailbox', async () => {
    const { states } = await setUp();
    expect(typeStateAfter(await states(), 0, null)).toEqual({ Mailbox: 'Mailbox-1' });
  });

  // @requirement 8621 §1.5 email-delivery
  test('change for every type after a delivery, including EmailDelivery', async () => {
    const { store, states } = await setUp();
    await store.deliver('acc_1', newEmail(1));
    expect(typeStateAfter(await states(), 1, null)).toEqual({
      Email: 'Email-2',
      EmailDelivery: 'EmailDelivery-2',
      Mailbox: 'Mailbox-2',
      Quota: 'Quota-2',
      Thread: 'Thread-2',
    });
  });

  test('change for Email and Mailbox when a message is read, and not for EmailDelivery', async () => {
    const { store, states } = await setUp();
    await store.deliver('acc_1', newEmail(1));
    const view = (await store.open('acc_1'))!;
    await store.commit(view, (now) => mailCommit({ updateEmails: [{ ...emailsOf(now).get(emailsOf(now).ids()[0]!)!, keywords: ['$seen'] }] }));
    expect(typeStateAfter(await states(), 2, null)).toEqual({ Email: 'Email-3', Mailbox: 'Mailbox-3' });
  });

  test('typeStateAfter returns the requested types only, and ignores unknown names', async () => {
    const { store, states } = await setUp();
    await store.deliver('acc_1', newEmail(1));
    expect(typeStateAfter(await states(), 1, ['EmailDelivery', 'CalendarEvent'])).toEqual({ EmailDelivery: 'EmailDelivery-2' });
    expect(typeStateAfter(await states(), 1, ['CalendarEvent'])).toBeUndefined();
    expect(typeStateAfter(await states(), 2, null)).toBeUndefined();
  });

  test('typeStateAfter returns every type for a sequence number that the account has not reached', async () => {
    const { states } = await setUp();
    expect(typeStateAfter(await states(), 99, null)).toEqual({ Mailbox: 'Mailbox-1' });
  });

  test('are decoded from heads only', async () => {
    const { table } = await setUp();
    const [head, log] = [await table.get(headKey('acc_1')), await table.get(logKey('acc_1', 1))];
    expect(decodeAccountStates(head!)).toMatchObject({ accountId: 'acc_1', sequence: 1 });
    expect(decodeAccountStates(log!)).toBeUndefined();
    expect(decodeAccountStates({ pk: 'connection#1', sk: 'HEAD' })).toBeUndefined();
    expect(await findAccountStates(table, ['acc_1', 'acc_1', 'acc_2'])).toHaveLength(1);
  });
});
