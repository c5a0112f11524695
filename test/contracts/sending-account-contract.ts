import { ProviderRefusal } from '../../lambdas/providers/provider-refusal.ts';
import type { SendingAccount } from '../../lambdas/providers/sending-account.ts';

/** The specification of the port to our account with who sends our mail: every adapter passes it. The account that it starts with has no production access. */
export const sendingAccountContract = (start: () => Promise<SendingAccount>): void => {
  let account: SendingAccount;
  beforeAll(async () => {
    account = await start();
  });

  test('an account that never asked has no production access, and limits', async () => {
    expect(await account.standing()).toMatchObject({ hasProductionAccess: false, max24hSend: expect.any(Number), maxSendRate: expect.any(Number) });
  });

  test('details that are not taken are refused', async () => {
    await expect(account.askForProductionAccess({ websiteUrl: '', useCase: 'Receipts' })).rejects.toBeInstanceOf(ProviderRefusal);
  });

  test('whoever asks is reviewed', async () => {
    expect(await account.askForProductionAccess({ websiteUrl: 'https://example.test', useCase: 'Receipts', contactAddress: 'ops@example.test' })).toBe(true);
    expect((await account.standing()).review).toEqual({ status: expect.stringMatching(/^(PENDING|GRANTED)$/), caseId: expect.any(String) });
  });
};
