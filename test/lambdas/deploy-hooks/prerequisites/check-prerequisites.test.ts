import type { CustomResourceEvent } from '../../../../core/runtime/lambda/custom-resource.ts';
import { checkPrerequisites } from '../../../../lambdas/deploy-hooks/prerequisites/check-prerequisites.ts';
import { memoryEmailProvider } from '../../../fakes/memory-email-provider.ts';

type Settings = { readonly lambdaConcurrency?: string; readonly reservedConcurrency?: string; readonly signInMailFrom?: string };

const event = (RequestType: CustomResourceEvent['RequestType'], settings: Settings = {}, before?: Settings): CustomResourceEvent => {
  const defaults = { lambdaConcurrency: '10', reservedConcurrency: '0' };
  return {
    RequestType,
    RequestId: 'r',
    StackId: 's',
    LogicalResourceId: 'l',
    ResponseURL: 'https://answer.example',
    ResourceProperties: { ...defaults, ...settings },
    ...(before && { OldResourceProperties: { ...defaults, ...before } }),
  };
};

describe('the prerequisites of a deployment', () => {
  const provider = memoryEmailProvider();
  const check = (given: CustomResourceEvent, region = 'eu-west-1') =>
    checkPrerequisites({
      region,
      hasHost: async () => false,
      emailProvider: provider,
      concurrency: { limits: async () => ({ account_limit: 1000, unreserved_concurrency: 200 }) },
    })(given);
  const passed = { physicalId: 'prerequisites' };

  test('hold when nothing is wrong, and are not checked when the deployment is deleted', async () => {
    expect(await check(event('Create'))).toEqual(passed);
    expect(await check(event('Delete', { lambdaConcurrency: '2000' }), 'eu-south-9')).toEqual(passed);
  });

  test('are named together, with what to do, when several do not hold', async () => {
    await expect(check(event('Create', { lambdaConcurrency: '2000', signInMailFrom: 'no-reply@example.com' }), 'eu-south-9')).rejects.toThrow(
      /^SES receives no mail in eu-south-9\. .* Set AWS_REGION .* the setting says 2000\. .* Pass -c lambdaConcurrency=1000, .* SES has not verified example\.com\. .* Deploy without/,
    );
  });

  test('count what an update reserves beyond the deployment’s own earlier reservations', async () => {
    const settings = { lambdaConcurrency: '1000', reservedConcurrency: '152' };
    await expect(check(event('Update', settings, {}))).rejects.toThrow('leave 200 unreserved, and the deployment reserves 152');
    expect(await check(event('Update', settings, settings))).toEqual(passed);
  });

  test('hold with a sender of sign-in mail once SES has verified its domain', async () => {
    const create = event('Create', { signInMailFrom: 'no-reply@example.com' });
    await provider.createDomain('example.com');
    await expect(check(create)).rejects.toThrow('SES has not verified example.com');
    provider.verify('example.com');
    expect(await check(create)).toEqual(passed);
  });
});
