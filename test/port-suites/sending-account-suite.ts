import { ProviderRefusal } from '../../core/aws/provider-errors.ts';
import type { ReviewStatus, SendingAccount } from '../../core/aws/ses/ses-sending-account.ts';

/**
 * The specification of {@link SendingAccount}, which every adapter passes.
 * @param start creates an account without production access; `decide` sets the outcome of SES's review.
 */
export const sendingAccountSuite = (start: () => Promise<{ account: SendingAccount; decide: (status: ReviewStatus) => void | Promise<void> }>): void => {
  let account: SendingAccount;
  let decide: (status: ReviewStatus) => void | Promise<void>;
  beforeAll(async () => {
    ({ account, decide } = await start());
  });
  // The sandbox's SES leaves the review of this website pending until `decide`.
  const request = () =>
    account.requestProductionAccess({ websiteUrl: 'https://pending.example.test', useCase: 'Receipts', contactAddress: 'ops@example.test' });

  test('status returns no production access, and limits, for a new account', async () => {
    expect(await account.status()).toMatchObject({ hasProductionAccess: false, max24hSend: expect.any(Number), maxSendRate: expect.any(Number) });
  });

  test('requestProductionAccess refuses invalid details', async () => {
    await expect(account.requestProductionAccess({ websiteUrl: '', useCase: 'Receipts' })).rejects.toBeInstanceOf(ProviderRefusal);
  });

  test('requestProductionAccess starts a review, one at a time', async () => {
    expect(await request()).toBe(true);
    expect((await account.status()).review).toEqual({ status: 'PENDING', caseId: expect.any(String) });
    expect(await request()).toBe(false);
  });

  test('requestProductionAccess starts a new review after a failed one', async () => {
    await decide('FAILED');
    expect((await account.status()).review).toMatchObject({ status: 'FAILED' });
    expect(await request()).toBe(true);
    expect((await account.status()).review).toMatchObject({ status: 'PENDING' });
  });

  test('requestProductionAccess starts no review after a denied one', async () => {
    await decide('DENIED');
    expect(await request()).toBe(false);
    expect(await account.status()).toMatchObject({ hasProductionAccess: false, review: { status: 'DENIED', caseId: expect.any(String) } });
  });

  test('status returns production access and higher limits after a granted review', async () => {
    const { max24hSend: before = Infinity } = await account.status();
    await decide('GRANTED');
    const { hasProductionAccess, max24hSend, review } = await account.status();
    expect([hasProductionAccess, review?.status]).toEqual([true, 'GRANTED']);
    expect(max24hSend).toBeGreaterThan(before);
  });
};
