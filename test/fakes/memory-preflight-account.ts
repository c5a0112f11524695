import type { Caller, DeployAccess, ExistingResources, HostedZoneFacts, PricePlan, RuleSet } from '../../preflight/ports.ts';

/** The AWS account that the preflight reads, in memory. Tests change its fields. */
export type MemoryPreflightAccount = DeployAccess & ExistingResources & {
  readonly account: {
    caller: Caller | undefined;
    bootstrapVersion: number | undefined;
    /** Parts of the names of roles that the caller may not assume. */
    closedRoles: string[];
    deniedActions: string[];
    readonly stacks: Map<string, string>;
    readonly apiDomains: Set<string>;
    readonly domainPrefixes: Map<string, string>;
    activeRuleSet: RuleSet | undefined;
    /** Reserved executions, by the name of the Lambda. */
    readonly reserved: Map<string, number>;
    pricePlan: PricePlan | undefined;
    readonly zones: Map<string, HostedZoneFacts>;
  };
};

/** An account after `cdk bootstrap`, without any other resources. */
export const memoryPreflightAccount = (): MemoryPreflightAccount => {
  const account: MemoryPreflightAccount['account'] = {
    caller: { account: '000000000000', arn: 'arn:aws:iam::000000000000:user/ada' },
    bootstrapVersion: 30, closedRoles: [], deniedActions: [], stacks: new Map(), apiDomains: new Set(), domainPrefixes: new Map(),
    activeRuleSet: undefined, reserved: new Map(), pricePlan: undefined, zones: new Map(),
  };
  return {
    account,
    async caller() {
      if (!account.caller) throw new Error('Could not load credentials from any providers');
      return account.caller;
    },
    bootstrapVersion: async () => account.bootstrapVersion,
    canAssume: async (roleArn) => !account.closedRoles.some((part) => roleArn.includes(part)),
    deniedActions: async (_, actions) => actions.filter((action) => account.deniedActions.includes(action)),
    stackStatus: async (name) => account.stacks.get(name),
    hasApiDomain: async (name) => account.apiDomains.has(name),
    poolOfDomainPrefix: async (prefix) => account.domainPrefixes.get(prefix),
    activeRuleSet: async () => account.activeRuleSet,
    reservedConcurrency: async (names) => names.reduce((sum, name) => sum + (account.reserved.get(name) ?? 0), 0),
    pricePlan: async () => account.pricePlan,
    hostedZone: async (id) => account.zones.get(id),
  };
};
