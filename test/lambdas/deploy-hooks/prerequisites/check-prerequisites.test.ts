import type { ConcurrencyLimits } from '../../../../core/aws/service-quotas/lambda-concurrency.ts';
import type { CustomResourceEvent } from '../../../../core/runtime/lambda/custom-resource.ts';
import { checkPrerequisites } from '../../../../lambdas/deploy-hooks/prerequisites/check-prerequisites.ts';
import { memoryEmailProvider } from '../../../fakes/memory-email-provider.ts';

type Settings = { readonly lambdaConcurrency?: string; readonly reservedConcurrency?: string; readonly signInMailFrom?: string };

const event = (RequestType: CustomResourceEvent['RequestType'], settings: Settings = {}, before?: Settings): CustomResourceEvent => {
  const defaults = { lambdaConcurrency: '10', reservedConcurrency: '0' };
  return {
    RequestType, RequestId: 'r', StackId: 's', LogicalResourceId: 'l', ResponseURL: 'https://answer.example',
    ResourceProperties: { ...defaults, ...settings }, ...(before && { OldResourceProperties: { ...defaults, ...before } }),
  };
};

describe('the prerequisites of a deployment', () => {
  const provider = memoryEmailProvider();
  const check = (given: CustomResourceEvent, { region = 'eu-west-1', hasHost, limits }: {
    readonly region?: string; readonly hasHost?: boolean; readonly limits?: ConcurrencyLimits;
  } = {}) => checkPrerequisites({
    region, hasHost: async () => hasHost, emailProvider: provider,
    concurrency: { limits: async () => limits ?? { account_limit: 1000, unreserved_concurrency: 1000 } },
  })(given);

  test('hold in a region that receives mail, in one that is newer than the list, and where DNS does not answer', async () => {
    for (const world of [{}, { region: 'eu-south-9', hasHost: true }, { region: 'eu-south-9' }]) {
      expect(await check(event('Create'), world)).toEqual({ physicalId: 'prerequisites' });
    }
  });

  test('do not hold in a region that receives no mail', async () => {
    await expect(check(event('Create'), { region: 'eu-south-9', hasHost: false })).rejects.toThrow(/SES receives no mail in eu-south-9\. Deploy to a region/);
  });

  test('do not hold with a lambdaConcurrency that the account does not have', async () => {
    await expect(check(event('Create', { lambdaConcurrency: '1000' }), { limits: { account_limit: 10, unreserved_concurrency: 10 } }))
      .rejects.toThrow(/the account has 10 in this region, and the setting says 1000.*pass -c lambdaConcurrency=10\./);
  });

  test('do not hold when others leave too little unreserved, of which the deployment’s own earlier reservations are no part', async () => {
    const settings = { lambdaConcurrency: '1000', reservedConcurrency: '152' };
    const limits = { account_limit: 1000, unreserved_concurrency: 200 };
    await expect(check(event('Create', settings), { limits })).rejects.toThrow(/leave 200 unreserved, and the deployment reserves 152/);
    await expect(check(event('Update', settings, {}), { limits })).rejects.toThrow('leave 200 unreserved');
    expect(await check(event('Update', settings, settings), { limits })).toEqual({ physicalId: 'prerequisites' });
  });

  test('hold with a sender of sign-in mail once SES has verified its domain', async () => {
    const create = event('Create', { signInMailFrom: 'no-reply@example.com' });
    await expect(check(create)).rejects.toThrow(/SES has not verified example\.com.*Deploy without signInMailFrom/);
    await provider.createDomain('example.com');
    await expect(check(create)).rejects.toThrow('SES has not verified example.com');
    provider.verify('example.com');
    expect(await check(create)).toEqual({ physicalId: 'prerequisites' });
  });

  test('are named together when several do not hold, and are not checked when the deployment is deleted', async () => {
    const limits = { account_limit: 10, unreserved_concurrency: 10 };
    const world = { region: 'eu-south-9', hasHost: false, limits };
    await expect(check(event('Create', { lambdaConcurrency: '20' }), world)).rejects.toThrow(/eu-south-9.*pass -c lambdaConcurrency=10/);
    expect(await check(event('Delete', { lambdaConcurrency: '20' }), world)).toEqual({ physicalId: 'prerequisites' });
  });
});
