import { keysOf, recordOf } from '../../contract/values/typed-entries.ts';

/** A queue's Lambda gets messages by a mapping with this maximum concurrency, or in scheduled runs. */
export type QueueConsumption = number | 'scheduled';

/**
 * Maximum useful concurrency of consumers that carry mail and therefore always have a mapping. SES accepts at most 14
 * messages a second from most accounts, which two Lambdas can send.
 */
const urgentConsumers = { deliver: 50, submit: 2 } as const;

/** Consumers that run every minute or every five minutes if the account's limit has no room for their mappings. */
const deferrableConsumers = { 'push-delivery': 20, 'mail-events': 5, 'mail-cleanup': 5, 'account-removal': 5, 'role-assumptions': 2 } as const;

type Urgent = keyof typeof urgentConsumers;
type Deferrable = keyof typeof deferrableConsumers;

/** Maximum concurrency of the Lambdas that do not serve API requests. */
export type BackgroundConcurrency = {
  readonly queues: Readonly<Record<Urgent, number> & Record<Deferrable, QueueConsumption>>;
  /** Concurrent batches of one shard of the mail table's stream. */
  readonly batchesOfShard: number;
  /**
   * Executions that are reserved by Lambda, so that a flood of other calls keeps neither mail nor sign-in waiting. No more
   * of them run at once: a queue's mapping has the same maximum, and slow downloads leave the rest to the others.
   */
  readonly reserved: { readonly [Name in (typeof reservingLambdas)[number]]?: number };
  /** The sum of the reserved executions. */
  readonly reservedTogether: number;
};

/**
 * The fractions of the account's limit that are available in total: to queues and streams, and to the mappings of
 * queues.
 */
export const [backgroundShare, queueShare] = [0.9, 0.6];

/** The fraction that the batches of the mail table's stream may use, in addition to one for each shard. */
const streamShare = 0.2;

/**
 * Shards of the stream of a new on-demand table: it begins with 4,000 writes a second, a partition has at most 1,000,
 * and each partition is a shard.
 */
export const shardsOfNewTable = 4;

/** The account's limit from which on executions are reserved. AWS keeps 100 of it unreserved; a new account has 10. */
const leastLimitOfReservations = 1000;

/** Executions of the token trigger: for Cognito's default of 240 sign-ins and refreshes a second, of 0.4 seconds at most. */
const tokenTriggers = 100;

/** The fraction of the limit that downloads may use. Each one lasts as long as its reader takes. */
const downloadShare = 0.1;

/** The Lambdas with reserved executions, where the limit has room for them. */
export const reservingLambdas = ['deliver', 'submit', 'pre-token', 'downloads'] as const;

/** The lowest maximum concurrency that Lambda permits for the mapping of a queue. */
export const leastConcurrency = 2;

/**
 * Divides the budget among mappings: each gets the minimum, and a share of the rest in proportion to its maximum use.
 */
const shareBudget = <Name extends string>(budget: number, consumers: Readonly<Record<Name, number>>): Record<Name, number> => {
  const entries = Object.entries<number>(consumers);
  const wanted = entries.reduce((sum, [, atMost]) => sum + atMost - leastConcurrency, 0);
  const part = Math.min(1, (budget - leastConcurrency * entries.length) / wanted);
  return recordOf(keysOf(consumers), (name) => leastConcurrency + Math.floor(part * (consumers[name] - leastConcurrency)));
};

/**
 * Shares the concurrency of the AWS account among queues and streams, and leaves some to the APIs. All Lambdas of an
 * account and region share its limit. Above the limit, API Gateway responds with 503. Reserved concurrency is no
 * alternative: Lambda permits none while the limit is 10, as in a new account. The Lambda of the receipt rules is not
 * counted, because only admins' changes start it.
 * @param limit the account's limit of concurrent Lambda executions, at least 10.
 */
export const backgroundConcurrency = (limit: number): BackgroundConcurrency => {
  const batchesOfShard = Math.min(10, Math.max(1, Math.floor((streamShare * limit) / shardsOfNewTable)));
  // The directory table's stream has one batch at a time: the records that pass its filter have one partition key.
  const streams = shardsOfNewTable * batchesOfShard + 1;
  const budget = Math.floor(Math.min(queueShare * limit, backgroundShare * limit - streams));
  const all = { ...urgentConsumers, ...deferrableConsumers };
  const hasRoomForAll = budget >= leastConcurrency * Object.keys(all).length;
  const queues: BackgroundConcurrency['queues'] = hasRoomForAll
    ? shareBudget(budget, all)
    : {
        ...shareBudget(budget, urgentConsumers),
        'push-delivery': 'scheduled',
        'mail-events': 'scheduled',
        'mail-cleanup': 'scheduled',
        'account-removal': 'scheduled',
        'role-assumptions': 'scheduled',
      };
  const reserved =
    limit < leastLimitOfReservations
      ? {}
      : { deliver: queues.deliver, submit: queues.submit, 'pre-token': tokenTriggers, downloads: Math.floor(downloadShare * limit) };
  return { queues, batchesOfShard, reserved, reservedTogether: Object.values(reserved).reduce((sum, each) => sum + each, 0) };
};
