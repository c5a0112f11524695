import { decodeHead, type VacationWindow } from '../../../core/account-log/head.ts';
import { headKey } from '../../../core/account-log/keys.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { defaultVacationResponse, isInWindow, vacationResponseOf, type VacationResponseRecord } from '../../../core/mail/vacation-response-type.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { newEmail } from '../../support/email-fixtures.ts';

const storeWithAccount = async () => {
  const table = memoryTable();
  const store = mailStore({ table });
  await store.createAccount('acc_1');
  const change = async (changes: Partial<VacationResponseRecord>) => {
    const view = (await store.open('acc_1'))!;
    await store.commit(view, (newest) => ({ records: { VacationResponse: { put: [{ ...vacationResponseOf(newest), ...changes }] } } }));
  };
  const windowInHead = async () => decodeHead((await table.get(headKey('acc_1')))!).vacation;
  return { store, table, change, windowInHead };
};

describe('the VacationResponse of an account', () => {
  test('has default properties while it is not stored', async () => {
    const { store } = await storeWithAccount();
    expect(vacationResponseOf((await store.open('acc_1'))!)).toEqual(defaultVacationResponse);
  });

  test('has its window in the head while it is enabled, also after deliveries', async () => {
    const { store, change, windowInHead } = await storeWithAccount();
    expect(await windowInHead()).toBeUndefined();
    await change({ isEnabled: true, fromDate: '2026-12-24T00:00:00Z' });
    await store.deliver('acc_1', newEmail(1));
    expect(await windowInHead()).toEqual({ from: Date.UTC(2026, 11, 24), to: null });
    await change({ isEnabled: false });
    await store.deliver('acc_1', newEmail(2));
    expect(await windowInHead()).toBeNull();
  });

  test('is read from the records, and from the log', async () => {
    const { store, table, change } = await storeWithAccount();
    await store.open('acc_1');
    await mailStore({ table }).open('acc_1');
    await change({ textBody: 'Away' });
    const expected = { ...defaultVacationResponse, textBody: 'Away' };
    expect(vacationResponseOf((await store.open('acc_1'))!)).toEqual(expected);
    expect(vacationResponseOf((await mailStore({ table }).open('acc_1'))!)).toEqual(expected);
  });
});

describe('the window of a VacationResponse', () => {
  test.each<[VacationWindow, number, boolean]>([
    [{ from: null, to: null }, 0, true],
    [{ from: 100, to: null }, 99, false],
    [{ from: 100, to: null }, 100, true],
    [{ from: null, to: 200 }, 199, true],
    [{ from: null, to: 200 }, 200, false],
    [{ from: 100, to: 200 }, 150, true],
  ])('%j has a message of %i: %s', (window, at, expected) => {
    expect(isInWindow(window, at)).toBe(expected);
  });
});
