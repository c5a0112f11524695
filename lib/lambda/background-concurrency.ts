/** How a queue's messages reach its Lambda: by a mapping with this maximum concurrency, or in scheduled runs. */
export type QueueConsumption = number | 'scheduled';

/**
 * The concurrency that each consumer of a queue can use at most. These carry mail and always have a mapping. SES
 * accepts 14 messages a second or fewer from most accounts, which two Lambdas can send.
 */
const urgentConsumers = { deliver: 50, submit: 2 } as const;

/** Consumers that are run every minute or every five minutes where the account has no room for their mappings. */
const deferrableConsumers = { 'push-delivery': 20, 'mail-events': 5, 'mail-cleanup': 5, 'account-removal': 5, 'role-assumptions': 2 } as const;

type Urgent = keyof typeof urgentConsumers;
type Deferrable = keyof typeof deferrableConsumers;

/** Maximum concurrency of the Lambdas for which no API request waits. */
export type BackgroundConcurrency = {
  readonly queues: Readonly<Record<Urgent, number> & Record<Deferrable, QueueConsumption>>;
  /** Concurrent batches of one shard of the mail table's stream. */
  readonly batchesOfShard: number;
};

/** The parts of the account's limit that may be used together: by queues and streams, and by the mappings of queues. */
export const [backgroundShare, queueShare] = [0.9, 0.6];

/** The part that the batches of the mail table's stream may use, beyond one for each shard. */
const streamShare = 0.2;

/**
 * Shards of the stream of a new table on demand. It begins with 4,000 writes a second, a partition has at most 1,000,
 * and each partition is a shard.
 */
export const shardsOfNewTable = 4;

/** The lowest maximum concurrency that Lambda permits for the mapping of a queue. */
export const leastConcurrency = 2;

/**
 * Gives each mapping the minimum, and shares the rest of the budget in proportion to the maximum use of each mapping.
 */
const shareBudget = <Name extends string>(budget: number, consumers: Readonly<Record<Name, number>>): Record<Name, number> => {
  const entries = Object.entries<number>(consumers);
  const wanted = entries.reduce((sum, [, atMost]) => sum + atMost - leastConcurrency, 0);
  const part = Math.min(1, (budget - leastConcurrency * entries.length) / wanted);
  return Object.fromEntries(entries.map(([name, atMost]) =>
    [name, leastConcurrency + Math.floor(part * (atMost - leastConcurrency))])) as Record<Name, number>;
};

/**
 * Shares the concurrency of the AWS account among queues and streams, so that they leave some to the APIs. All Lambdas
 * of an account and region share its limit; over it, API Gateway answers 503. Reserved concurrency is no alternative:
 * Lambda permits none while the limit is 10, as in a new account. The Lambda of the receipt rules is not counted: only
 * admins' changes start it.
 * @param limit the account's limit of concurrent Lambda executions, at least 10.
 */
export const backgroundConcurrency = (limit: number): BackgroundConcurrency => {
  const batchesOfShard = Math.min(10, Math.max(1, Math.floor(streamShare * limit / shardsOfNewTable)));
  // The directory table's stream has one batch at a time: the records that pass its filter have one partition key.
  const streams = shardsOfNewTable * batchesOfShard + 1;
  const budget = Math.floor(Math.min(queueShare * limit, backgroundShare * limit - streams));
  const all = { ...urgentConsumers, ...deferrableConsumers };
  const hasRoomForAll = budget >= leastConcurrency * Object.keys(all).length;
  return {
    queues: hasRoomForAll
      ? shareBudget(budget, all)
      : {
          ...shareBudget(budget, urgentConsumers),
          'push-delivery': 'scheduled',
          'mail-events': 'scheduled',
          'mail-cleanup': 'scheduled',
          'account-removal': 'scheduled',
          'role-assumptions': 'scheduled',
        },
    batchesOfShard,
  };
};
