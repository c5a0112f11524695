import { quotas } from '../../contract/admin/change-requests.ts';
import { ProviderRefusal } from '../../core/aws/provider-errors.ts';
import type { QuotaProvider, QuotaRequestStatus } from '../../core/aws/service-quotas-provider.ts';

/**
 * The specification of {@link QuotaProvider}, which every adapter passes.
 * @param start `decide` sets the provider's decision.
 */
export const quotaProviderSuite = (
  start: () => Promise<{ provider: QuotaProvider; decide: (id: string, status: QuotaRequestStatus) => void | Promise<void> }>,
): void => {
  let provider: QuotaProvider;
  let decide: (id: string, status: QuotaRequestStatus) => void | Promise<void>;
  beforeAll(async () => {
    ({ provider, decide } = await start());
  });

  test('requestIncrease creates a pending request, which findRequest and listRequests return', async () => {
    const created = (await provider.requestIncrease(quotas.SES_MAX_24H_SEND_INCREASE, 100_000))!;
    expect(created).toMatchObject({ id: expect.any(String), status: 'PENDING', requestedValue: 100_000 });
    expect(Math.abs(created.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
    expect(await provider.findRequest(created.id)).toMatchObject({ id: created.id, requestedValue: 100_000 });
    expect(await provider.listRequests(quotas.SES_MAX_24H_SEND_INCREASE)).toEqual([expect.objectContaining({ id: created.id })]);
    expect(await provider.listRequests(quotas.LAMBDA_CONCURRENCY_INCREASE)).toEqual([]);
  });

  test('requestIncrease returns undefined while a request for the quota is open', async () => {
    const created = (await provider.requestIncrease(quotas.SES_MAX_SEND_RATE_INCREASE, 20))!;
    expect(await provider.requestIncrease(quotas.SES_MAX_SEND_RATE_INCREASE, 30)).toBeUndefined();
    await decide(created.id, 'CASE_OPENED');
    expect(await provider.requestIncrease(quotas.SES_MAX_SEND_RATE_INCREASE, 20)).toBeUndefined();
    await decide(created.id, 'DENIED');
    const next = (await provider.requestIncrease(quotas.SES_MAX_SEND_RATE_INCREASE, 30))!;
    expect(next.id).not.toBe(created.id);
    expect((await provider.listRequests(quotas.SES_MAX_SEND_RATE_INCREASE)).map(({ id }) => id)).toEqual([next.id, created.id]);
  });

  test.each(['CASE_OPENED', 'APPROVED', 'NOT_APPROVED', 'CASE_CLOSED', 'INVALID_REQUEST'] as const)('findRequest returns the status %s', async (status) => {
    const { id } = (await provider.requestIncrease(quotas.LAMBDA_CONCURRENCY_INCREASE, 5000))!;
    await decide(id, status);
    expect(await provider.findRequest(id)).toMatchObject({ id, status });
    await decide(id, 'DENIED');
  });

  test('findRequest returns undefined for an unknown id', async () => {
    expect(await provider.findRequest('0123456789abcdef0123456789abcdefAAAAAAAA')).toBeUndefined();
  });

  test('requestIncrease refuses a value that is not higher', async () => {
    await expect(provider.requestIncrease(quotas.LAMBDA_CONCURRENCY_INCREASE, 1)).rejects.toBeInstanceOf(ProviderRefusal);
  });
};
