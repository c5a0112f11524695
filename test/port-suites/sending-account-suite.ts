import { ProviderRefusal } from '../../core/aws/provider-errors.ts';
import type { ReviewStatus, SendingAccount } from '../../core/aws/ses/sending-account.ts';

/**
 * The specification of the port to our account with who sends our mail: every adapter passes it. The account that it starts with has no production access;
 * `decide` is what people there do.
 */
export const sendingAccountSuite = (start: () => Promise<{ account: SendingAccount; decide: (status: ReviewStatus) => void | Promise<void> }>): void => {
  let account: SendingAccount;
  let decide: (status: ReviewStatus) => void | Promise<void>;
  beforeAll(async () => {
    ({ account, decide } = await start());
  });
  // The sandbox's SES leaves the decision on such a website to `decide`.
  const ask = () => account.requestProductionAccess({ websiteUrl: 'https://pending.example.test', useCase: 'Receipts', contactAddress: 'ops@example.test' });

  test('an account that never asked has no production access, and limits', async () => {
    expect(await account.status()).toMatchObject({ hasProductionAccess: false, max24hSend: expect.any(Number), maxSendRate: expect.any(Number) });
  });

  test('details that are not taken are refused', async () => {
    await expect(account.requestProductionAccess({ websiteUrl: '', useCase: 'Receipts' })).rejects.toBeInstanceOf(ProviderRefusal);
  });

  test('whoever asks is reviewed, once at a time', async () => {
    expect(await ask()).toBe(true);
    expect((await account.status()).review).toEqual({ status: 'PENDING', caseId: expect.any(String) });
    expect(await ask()).toBe(false);
  });

  test('what was lost is asked for again', async () => {
    await decide('FAILED');
    expect((await account.status()).review).toMatchObject({ status: 'FAILED' });
    expect(await ask()).toBe(true);
    expect((await account.status()).review).toMatchObject({ status: 'PENDING' });
  });

  test('what was denied is not asked for again', async () => {
    await decide('DENIED');
    expect(await ask()).toBe(false);
    expect(await account.status()).toMatchObject({ hasProductionAccess: false, review: { status: 'DENIED', caseId: expect.any(String) } });
  });

  test('what was granted after all is production access, with higher limits', async () => {
    const { max24hSend: before = Infinity } = await account.status();
    await decide('GRANTED');
    const { hasProductionAccess, max24hSend, review } = await account.status();
    expect([hasProductionAccess, review?.status]).toEqual([true, 'GRANTED']);
    expect(max24hSend).toBeGreaterThan(before);
  });
};
