import { nameInStack } from '../contract/deployment/monitored-resources.ts';
import { inboundHost } from '../contract/deployment/sending.ts';
import type { DomainIdentity, EmailProvider } from '../core/aws/ses/identities/email-provider.ts';
import type { ConcurrencyLimits } from '../core/aws/service-quotas/lambda-concurrency.ts';
import type { RecordSet } from '../core/aws/route53/dns-provider.ts';
import type { DeploymentContext } from '../lib/deployment-context.ts';
import { reservingLambdas } from '../lib/lambda/background-concurrency.ts';
import { hostNames } from '../lib/endpoints/domain-names.ts';
import type { Caller, HostedZoneFacts, PreflightPorts, PricePlan, RuleSet, SynthesizedStack } from './ports.ts';

/** The answer to a question, or the reason why there is no answer. */
export type Answer<T> = { readonly value: T } | { readonly unknown: string };

/** The reason for questions that were not sent to AWS. */
export const notAsked = 'not asked, without credentials';

/** The roles of the CDK's bootstrap stack that `cdk deploy` assumes. */
export const bootstrapRoles = ['deploy-role', 'file-publishing-role'] as const;

/**
 * Actions that a caller needs when the caller can't assume the bootstrap roles. The CDK then uses the caller's own
 * rights.
 */
export const actionsWithoutRoles = [
  'cloudformation:CreateChangeSet', 'cloudformation:ExecuteChangeSet', 'cloudformation:DescribeStacks', 's3:PutObject', 'iam:PassRole',
] as const;

/** The answers of AWS and public DNS. */
export type Facts = {
  readonly settings: DeploymentContext;
  readonly region: string;
  /** Number of people for the cost estimate. */
  readonly people: number;
  readonly caller: Answer<Caller>;
  readonly stacks: Answer<readonly SynthesizedStack[]>;
  readonly bootstrapVersion: Answer<number | undefined>;
  /** The bootstrap roles that the caller can't assume. */
  readonly closedRoles: Answer<readonly string[]>;
  /** The actions of {@link actionsWithoutRoles} that IAM denies. */
  readonly deniedActions: Answer<readonly string[]>;
  readonly activeRuleSet: Answer<RuleSet | undefined>;
  /** Whether the host that receives mail in the region exists in DNS. */
  readonly hasInboundHost: Answer<boolean>;
  readonly pricePlan: Answer<PricePlan | undefined>;
  readonly sending: Answer<Awaited<ReturnType<EmailProvider['accountStatus']>>>;
  readonly concurrency: Answer<ConcurrencyLimits>;
  /** The executions that the deployment reserves already. */
  readonly reservedNow: Answer<number>;
  readonly stackStatuses: Answer<Readonly<Record<string, string | undefined>>>;
  readonly identity: Answer<DomainIdentity | undefined>;
  readonly poolOfDomainPrefix: Answer<string | undefined>;
  /** The custom domain names that already exist in API Gateway. */
  readonly apiDomains: Answer<readonly string[]>;
  /** The custom domain names that exist in public DNS. */
  readonly publicNames: Answer<readonly string[]>;
  /** The records with the custom domain names, in the hosted zone of the setting. */
  readonly zoneRecords: Answer<readonly RecordSet[]>;
  /** The zone of the setting `hostedZoneId`. */
  readonly chosenZone: Answer<HostedZoneFacts | undefined>;
  /** The hosted zone of this AWS account that contains the domain. */
  readonly ownZone: Answer<{ readonly id: string; readonly name: string } | undefined>;
  readonly nameServers: Answer<readonly string[]>;
  readonly mailExchangers: Answer<readonly string[]>;
  readonly certificateAuthorities: Answer<readonly string[] | undefined>;
};

const denied = /^(AccessDenied|UnauthorizedOperation|NotAuthorized|AuthorizationError)/;

/** The reason why a question failed, in one line. */
const reasonOf = (error: unknown): string => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const text = message.split('\n')[0]!.slice(0, 200);
  return denied.test(name) ? `AWS denies the question: ${text}` : text || name;
};

const ask = async <T>(question: () => Promise<T>): Promise<Answer<T>> => {
  try {
    return { value: await question() };
  } catch (error) {
    return { unknown: reasonOf(error) };
  }
};

/** The value of an answer; undefined if the question was not answered. */
export const known = <T>(answer: Answer<T>): T | undefined => ('value' in answer ? answer.value : undefined);

/** Asks every question once. Without credentials, no further question is sent to AWS. */
export const collectFacts = async (
  settings: DeploymentContext, region: string, people: number,
  { access, existing, sending, concurrency, dnsProvider, publicDns, synthesize }: PreflightPorts,
): Promise<Facts> => {
  const { domain, hostedZoneId, authDomainPrefix } = settings;
  const names = hostedZoneId === undefined ? [] : Object.values(hostNames(settings));
  const filterNames = async (test: (name: string) => Promise<boolean>): Promise<string[]> => {
    const results = await Promise.all(names.map(test));
    return names.filter((_, place) => results[place]);
  };
  const [caller, stacks] = await Promise.all([ask(() => access.caller()), ask(synthesize)]);
  const who = known(caller);
  const askAws = <T>(question: (who: Caller) => Promise<T>): Promise<Answer<T>> =>
    who === undefined ? Promise.resolve({ unknown: notAsked }) : ask(() => question(who));
  const ofStacks = known(stacks) ?? [];
  const { bootstrap } = ofStacks[0] ?? { bootstrap: { version: 6, parameter: '/cdk-bootstrap/hnb659fds/version' } };
  const [
    bootstrapVersion, closedRoles, deniedActions, activeRuleSet, hasInboundHost, pricePlan, sendingStatus, concurrencyLimits, reservedNow, stackStatuses, identity,
    poolOfDomainPrefix, apiDomains, publicNames, zoneRecords, chosenZone, ownZone, nameServers, mailExchangers, certificateAuthorities,
  ] = await Promise.all([
    askAws(() => access.bootstrapVersion(bootstrap.parameter)),
    askAws(async ({ account, arn }) => {
      const arns = bootstrapRoles.map((role) => `arn:${arn.split(':')[1] ?? 'aws'}:iam::${account}:role/cdk-hnb659fds-${role}-${account}-${region}`);
      const open = await Promise.all(arns.map((role) => access.canAssume(role)));
      return bootstrapRoles.filter((_, place) => !open[place]);
    }),
    askAws((found) => access.deniedActions(found, actionsWithoutRoles)),
    askAws(() => existing.activeRuleSet()),
    ask(() => publicDns.exists(inboundHost(region))),
    askAws(() => existing.pricePlan()),
    askAws(() => sending.accountStatus()),
    askAws(() => concurrency.limits()),
    askAws(() => existing.reservedConcurrency(reservingLambdas.map((name) => nameInStack(settings.stackName, name)))),
    askAws(async () => Object.fromEntries(await Promise.all(
      ofStacks.map(async ({ name }) => [name, await existing.stackStatus(name)] as const)))),
    askAws(() => sending.findDomain(domain)),
    askAws(async () => (authDomainPrefix === undefined ? undefined : existing.poolOfDomainPrefix(authDomainPrefix))),
    askAws(() => filterNames((name) => existing.hasApiDomain(name))),
    ask(() => filterNames((name) => publicDns.exists(name))),
    askAws(async () => (hostedZoneId === undefined
      ? []
      : (await dnsProvider.listRecordSets({ id: hostedZoneId, name: domain, record_count: 0 }, domain))
        .filter(({ name }) => names.includes(name)))),
    askAws(async () => (hostedZoneId === undefined ? undefined : existing.hostedZone(hostedZoneId))),
    askAws(() => dnsProvider.findZone(domain)),
    ask(() => publicDns.nameServers(domain)),
    ask(() => publicDns.mailExchangers(domain)),
    ask(() => publicDns.certificateAuthorities(domain)),
  ]);
  return {
    settings, region, people, caller, stacks, bootstrapVersion, closedRoles, deniedActions, activeRuleSet, hasInboundHost, pricePlan, sending: sendingStatus,
    concurrency: concurrencyLimits, reservedNow, stackStatuses, identity, poolOfDomainPrefix, apiDomains, publicNames, zoneRecords, chosenZone, ownZone,
    nameServers, mailExchangers, certificateAuthorities,
  };
};
