import type { Concurrency } from '../core/aws/service-quotas/lambda-concurrency.ts';
import type { EmailProvider } from '../core/aws/ses/identities/email-provider.ts';
import type { DnsProvider } from '../core/aws/route53/dns-provider.ts';

/** The caller that deploys: the AWS account, and the ARN of the user, role session or root. */
export type Caller = { readonly account: string; readonly arn: string };

/** The caller's rights to deploy by the CDK. Adapter: `adapters/deploy-access.ts`. */
export type DeployAccess = {
  /** @throws CredentialsProviderError without credentials. */
  caller(): Promise<Caller>;
  /**
   * The version of the account's CDK bootstrap stack; undefined without one.
   * @param parameter the SSM parameter with the version.
   */
  bootstrapVersion(parameter: string): Promise<number | undefined>;
  /** Whether the caller may assume the role. */
  canAssume(roleArn: string): Promise<boolean>;
  /** The actions that IAM denies the caller. Resources and conditions are not simulated. */
  deniedActions(caller: Caller, actions: readonly string[]): Promise<string[]>;
};

/** A hosted zone of Route 53. */
export type HostedZoneFacts = { readonly name: string; readonly isPrivate: boolean; readonly nameServers: readonly string[] };

export type RuleSet = { readonly name: string; readonly rules: readonly string[] };

/** SES's price plan: `NONE`, `ESSENTIALS`, `PRO`, `ENTERPRISE`, or a newer one. */
export type PricePlan = { readonly current: string; readonly next?: string };

/** Existing resources of the account, by name. Adapter: `adapters/existing-resources.ts`. */
export type ExistingResources = {
  /** The status of a CloudFormation stack; undefined when there is none. */
  stackStatus(name: string): Promise<string | undefined>;
  /** Whether API Gateway has a custom domain of this name. */
  hasApiDomain(name: string): Promise<boolean>;
  /** The id of the user pool whose domain has this prefix; undefined when no pool has it. */
  poolOfDomainPrefix(prefix: string): Promise<string | undefined>;
  /** SES's active receipt rule set, with the names of its rules; undefined when there is none. */
  activeRuleSet(): Promise<RuleSet | undefined>;
  /** The sum of the executions that are reserved for the Lambdas with these names. A Lambda that does not exist has none. */
  reservedConcurrency(names: readonly string[]): Promise<number>;
  /** SES's price plan in the region, and the plan of the next month when it changes; undefined when SES names none. */
  pricePlan(): Promise<PricePlan | undefined>;
  /** The hosted zone with this id; undefined when it does not exist. */
  hostedZone(id: string): Promise<HostedZoneFacts | undefined>;
};

/** Public DNS. Names are in lower case without a trailing dot. Adapter: `adapters/public-dns.ts`. */
export type PreflightDns = {
  /** The name servers of the closest ancestor that has name servers. */
  nameServers(name: string): Promise<readonly string[]>;
  /** Mail exchangers, as `10 mx.example.com`. */
  mailExchangers(name: string): Promise<readonly string[]>;
  /** Whether the name has an address or is an alias. */
  exists(name: string): Promise<boolean>;
  /** The certificate authorities that the closest CAA records allow (RFC 8659); undefined without such records. */
  certificateAuthorities(name: string): Promise<readonly string[] | undefined>;
};

/** A stack of the synthesized app. */
export type SynthesizedStack = {
  readonly name: string;
  readonly resources: { readonly [id: string]: { readonly Type: string; readonly Properties?: Record<string, unknown> } };
  /** The minimum version of the bootstrap stack, and the SSM parameter with its version. */
  readonly bootstrap: { readonly version: number; readonly parameter: string };
};

/** Everything that the checks read. Nothing is changed. */
export type PreflightPorts = {
  readonly access: DeployAccess;
  readonly existing: ExistingResources;
  readonly sending: Pick<EmailProvider, 'accountStatus' | 'findDomain'>;
  readonly concurrency: Concurrency;
  readonly dnsProvider: Pick<DnsProvider, 'findZone' | 'listRecordSets'>;
  readonly publicDns: PreflightDns;
  /** Synthesizes the app with the settings. @throws Error with the output of `cdk synth`. */
  readonly synthesize: () => Promise<readonly SynthesizedStack[]>;
};
