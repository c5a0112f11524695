import { nameInStack } from '../contract/deployment/monitored-resources.ts';
import { inboundHost } from '../contract/deployment/sending.ts';
import type { DeploymentContext } from '../lib/deployment-context.ts';
import { hostNames } from '../lib/endpoints/domain-names.ts';
import { reservingLambdas } from '../lib/lambda/background-concurrency.ts';
import type { PreflightPorts } from './adapters/aws-preflight-ports.ts';
import type { Caller } from './adapters/deploy-access.ts';
import type { SynthesizedStack } from './adapters/synthesis.ts';

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
  'cloudformation:CreateChangeSet',
  'cloudformation:ExecuteChangeSet',
  'cloudformation:DescribeStacks',
  's3:PutObject',
  'iam:PassRole',
] as const;

type Situation = {
  readonly settings: DeploymentContext;
  readonly region: string;
  readonly ports: PreflightPorts;
  readonly stacks: readonly SynthesizedStack[];
  /** The host names of the deployment's custom domains. */
  readonly names: readonly string[];
};

/** The elements that pass a test. */
const filterAsync = async <T>(values: readonly T[], test: (value: T) => Promise<boolean>): Promise<T[]> => {
  const results = await Promise.all(values.map(test));
  return values.filter((_, place) => results[place]);
};

const dnsQuestions = ({ settings: { domain }, region, ports: { publicDns }, names }: Situation) => ({
  /** Whether the host that receives mail in the region exists. */
  hasInboundHost: () => publicDns.exists(inboundHost(region)),
  publicNames: () => filterAsync(names, (name) => publicDns.exists(name)),
  nameServers: () => publicDns.nameServers(domain),
  mailExchangers: () => publicDns.mailExchangers(domain),
  certificateAuthorities: () => publicDns.certificateAuthorities(domain),
});

const awsQuestions = (
  { settings, region, ports: { access, accountPlan, existing, sending, concurrency, dnsProvider }, stacks, names }: Situation,
  caller: Caller,
) => {
  const { domain, hostedZoneId, authDomainPrefix, stackName } = settings;
  const { account, arn } = caller;
  return {
    bootstrapVersion: () => access.bootstrapVersion(stacks[0]?.bootstrap.parameter ?? '/cdk-bootstrap/hnb659fds/version'),
    /** The bootstrap roles that the caller can't assume. */
    closedRoles: () =>
      filterAsync(
        bootstrapRoles,
        async (role) => !(await access.canAssume(`arn:${arn.split(':')[1] ?? 'aws'}:iam::${account}:role/cdk-hnb659fds-${role}-${account}-${region}`)),
      ),
    /** The actions of {@link actionsWithoutRoles} that IAM denies. */
    deniedActions: () => access.deniedActions(caller, actionsWithoutRoles),
    accountPlan,
    activeRuleSet: () => existing.activeRuleSet(),
    pricePlan: () => existing.pricePlan(),
    sending: () => sending.accountStatus(),
    concurrency: () => concurrency.limits(),
    /** The executions that the deployment reserves already. */
    reservedNow: () => existing.reservedConcurrency(reservingLambdas.map((name) => nameInStack(stackName, name))),
    stackStatuses: async () => Object.fromEntries(await Promise.all(stacks.map(async ({ name }) => [name, await existing.stackStatus(name)] as const))),
    identity: () => sending.findDomain(domain),
    poolOfDomainPrefix: async () => (authDomainPrefix === undefined ? undefined : existing.poolOfDomainPrefix(authDomainPrefix)),
    /** The custom domain names that already exist in API Gateway. */
    apiDomains: () => filterAsync(names, (name) => existing.hasApiDomain(name)),
    /** The records with the custom domain names, in the hosted zone of the setting. */
    zoneRecords: async () =>
      hostedZoneId === undefined
        ? []
        : (await dnsProvider.listRecordSets({ id: hostedZoneId, name: domain, record_count: 0 }, domain)).filter(({ name }) => names.includes(name)),
    /** The zone of the setting `hostedZoneId`. */
    chosenZone: async () => (hostedZoneId === undefined ? undefined : existing.hostedZone(hostedZoneId)),
    /** The hosted zone of this AWS account that contains the domain. */
    ownZone: () => dnsProvider.findZone(domain),
  };
};

type Questions = Readonly<Record<string, () => Promise<unknown>>>;
type Answers<Asked extends Questions> = { readonly [Name in keyof Asked]: Answer<Awaited<ReturnType<Asked[Name]>>> };

/** The settings, and the answers of AWS and public DNS. */
export type Facts = Answers<ReturnType<typeof dnsQuestions>> &
  Answers<ReturnType<typeof awsQuestions>> & {
    readonly settings: DeploymentContext;
    readonly region: string;
    /** Number of people for the cost estimate. */
    readonly people: number;
    readonly caller: Answer<Caller>;
    readonly stacks: Answer<readonly SynthesizedStack[]>;
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

const askAll = async <Asked extends Questions>(questions: Asked, isAsked = true): Promise<Answers<Asked>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries() has no type of the names
  Object.fromEntries(
    await Promise.all(Object.entries(questions).map(async ([name, question]) => [name, isAsked ? await ask(question) : { unknown: notAsked }])),
  ) as Answers<Asked>;

/** Asks every question once. Without credentials, no further question is sent to AWS. */
export const collectFacts = async (settings: DeploymentContext, region: string, people: number, ports: PreflightPorts): Promise<Facts> => {
  const [caller, stacks] = await Promise.all([ask(() => ports.access.caller()), ask(ports.synthesize)]);
  const names = settings.hostedZoneId === undefined ? [] : Object.values(hostNames(settings));
  const situation: Situation = { settings, region, ports, stacks: known(stacks) ?? [], names };
  const [ofDns, ofAws] = await Promise.all([
    askAll(dnsQuestions(situation)),
    askAll(awsQuestions(situation, known(caller) ?? { account: '', arn: '' }), 'value' in caller),
  ]);
  return { settings, region, people, caller, stacks, ...ofDns, ...ofAws };
};
