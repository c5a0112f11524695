import type { DeployAccess, ExistingResources } from '../../preflight/ports.ts';

/**
 * The specification of {@link DeployAccess} and {@link ExistingResources}, which every adapter passes.
 * @param start creates an account with the stack `Existing`, the parameter `/bootstrap/version` of 30, the user pool
 * domain `taken-prefix`, and the public zone `zone.test`, and returns the zone's id.
 */
export const preflightAccountSuite = (start: () => Promise<DeployAccess & ExistingResources & { readonly zoneId: string; readonly poolId: string }>): void => {
  let account: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => { account = await start(); });

  test.each<[title: string, ask: () => Promise<unknown>, expected: () => unknown]>([
    ['caller returns the account and an ARN of it',
      () => account.caller(), () => ({ account: '000000000000', arn: expect.stringMatching(/^arn:aws:[a-z]+::000000000000:/) as string })],
    ['bootstrapVersion returns the number of the parameter', () => account.bootstrapVersion('/bootstrap/version'), () => 30],
    ['stackStatus returns the status of a stack', () => account.stackStatus('Existing'), () => 'CREATE_COMPLETE'],
    ['stackStatus returns undefined for a name that is free', () => account.stackStatus('Absent'), () => undefined],
    ['poolOfDomainPrefix returns the pool of a prefix', () => account.poolOfDomainPrefix('taken-prefix'), () => account.poolId],
    ['poolOfDomainPrefix returns undefined for a prefix that is free', () => account.poolOfDomainPrefix('free-prefix'), () => undefined],
    ['hasApiDomain says no for a name that API Gateway does not have', () => account.hasApiDomain('jmap.absent.test'), () => false],
    ['activeRuleSet returns undefined while none is active', () => account.activeRuleSet(), () => undefined],
    ['reservedConcurrency returns 0 for Lambdas that do not exist', () => account.reservedConcurrency(['absent-deliver', 'absent-submit']), () => 0],
    ['pricePlan returns undefined while SES names no plan', () => account.pricePlan(), () => undefined],
    ['hostedZone returns the name and the name servers of a zone', () => account.hostedZone(account.zoneId),
      () => ({ name: 'zone.test', isPrivate: false, nameServers: expect.arrayContaining([expect.any(String)]) as string[] })],
    ['hostedZone returns undefined for an unknown id', () => account.hostedZone('Z0000000000ABSENT'), () => undefined],
  ])('%s', async (_title, ask, expected) => {
    expect(await ask()).toEqual(expected());
  });
};
