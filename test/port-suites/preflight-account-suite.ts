import type { DeployAccess, ExistingResources } from '../../preflight/ports.ts';

/**
 * The specification of {@link DeployAccess} and {@link ExistingResources}, which every adapter passes.
 * @param start creates an account with the stack `Existing`, the parameter `/bootstrap/version` of 30, the user pool
 * domain `taken-prefix`, and the public zone `zone.test`, and returns the zone's id.
 */
export const preflightAccountSuite = (start: () => Promise<DeployAccess & ExistingResources & { readonly zoneId: string; readonly poolId: string }>): void => {
  let account: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => { account = await start(); });

  test('caller returns the account and an ARN of it', async () => {
    expect(await account.caller()).toEqual({ account: '000000000000', arn: expect.stringMatching(/^arn:aws:[a-z]+::000000000000:/) });
  });

  test('bootstrapVersion returns the number of the parameter, and undefined without the parameter', async () => {
    expect(await account.bootstrapVersion('/bootstrap/version')).toBe(30);
  });

  test('stackStatus returns the status of a stack, and undefined for a name that is free', async () => {
    expect([await account.stackStatus('Existing'), await account.stackStatus('Absent')]).toEqual(['CREATE_COMPLETE', undefined]);
  });

  test('poolOfDomainPrefix returns the pool of a prefix, and undefined for a prefix that is free', async () => {
    expect([await account.poolOfDomainPrefix('taken-prefix'), await account.poolOfDomainPrefix('free-prefix')]).toEqual([account.poolId, undefined]);
  });

  test('hasApiDomain says no for a name that API Gateway does not have', async () => {
    expect(await account.hasApiDomain('jmap.absent.test')).toBe(false);
  });

  test('activeRuleSet returns undefined while none is active', async () => {
    expect(await account.activeRuleSet()).toBeUndefined();
  });

  test('reservedConcurrency returns 0 for Lambdas that do not exist', async () => {
    expect(await account.reservedConcurrency(['absent-deliver', 'absent-submit'])).toBe(0);
  });

  test('pricePlan returns undefined while SES names no plan', async () => {
    expect(await account.pricePlan()).toBeUndefined();
  });

  test('hostedZone returns the name and the name servers of a zone, and undefined for an unknown id', async () => {
    expect(await account.hostedZone(account.zoneId)).toEqual({ name: 'zone.test', isPrivate: false, nameServers: expect.arrayContaining([expect.any(String)]) });
    expect(await account.hostedZone('Z0000000000ABSENT')).toBeUndefined();
  });
};
