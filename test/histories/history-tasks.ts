import * as fc from 'fast-check';

/** A task of a client. `pick` chooses among the records that the client sees at that time. */
export type ClientTask =
  | { readonly do: 'create' | 'replace' | 'import' | 'copy' | 'move between accounts'; readonly pick: number }
  | { readonly do: 'mark' | 'move' | 'destroy'; readonly pick: number; readonly count: number }
  | { readonly do: 'make mailbox' | 'rename mailbox' | 'nest mailbox' | 'destroy mailbox' | 'swap roles'; readonly pick: number }
  | { readonly do: 'send'; readonly recipients: number; readonly holdMinutes: number; readonly cancels: Cancellation }
  | { readonly do: 'sync' };

/** The time at which a client cancels its submission: around the time of sending, so that both race, or before it. */
type Cancellation = 'race' | 'before' | 'never';

/** Messages that arrive together for an account, for a group of both, or for Carol, who forwards to both. If `isRepeated`, SQS also delivers them to a second Lambda. */
export type Arrival = { readonly count: number; readonly to: 'alice' | 'bob' | 'all' | 'carol'; readonly isJunk: boolean; readonly isRepeated: boolean };

/**
 * A task without a client: the indexer handles the stream, the mail-cleanup Lambda handles due messages, or two admins
 * restore destroyed Emails of Alice (in every third run, a third admin purges some).
 */
export type BackgroundTask =
  | { readonly do: 'index'; readonly isCold: boolean; readonly isRepeated: boolean }
  | { readonly do: 'remove' }
  | { readonly do: 'restore'; readonly pick: number };

/** Tasks that run concurrently. Then time passes. */
export type Phase = {
  /** The tasks of each jmap Lambda. */
  readonly clients: readonly (readonly ClientTask[])[];
  readonly arrivals: readonly Arrival[];
  readonly background: readonly BackgroundTask[];
  /** A disturbance of the pipeline of sent mail during the phase, in a history with faults. */
  readonly trouble?: 'none' | 'SES throttles' | 'SES is closed' | 'redeployment' | 'deactivation';
  readonly minutesAfter: number;
};

export type History = {
  readonly phases: readonly Phase[];
  /** Days for which destroyed Emails can be restored. */
  readonly retentionDays: number;
  /** Decides the order of all calls, and their faults. */
  readonly seed: number;
  /** The fraction of writes that fail. The fraction of failing reads is a tenth of it. */
  readonly faultRate: number;
};

/** Hour and day in minutes. */
const [hour, day] = [60, 24 * 60];

const pick = fc.nat(1000);
const count = fc.integer({ min: 1, max: 4 });
const clientTask: fc.Arbitrary<ClientTask> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('create' as const, 'replace' as const, 'import' as const, 'copy' as const, 'move between accounts' as const),
      pick,
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('mark' as const, 'move' as const, 'destroy' as const), pick, count }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'make mailbox' as const,
        'make mailbox' as const,
        'rename mailbox' as const,
        'nest mailbox' as const,
        'destroy mailbox' as const,
        'swap roles' as const,
      ),
      pick,
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      recipients: fc.constantFrom(1, 1, 1, 2, 3, 60, 130),
      holdMinutes: fc.constantFrom(0, 0, 0, 5, 14, 40, 7 * day),
      cancels: fc.constantFrom('never' as const, 'never' as const, 'never' as const, 'race' as const, 'before' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sync' as const) }) },
);
const arrival = fc.record({
  count: fc.constantFrom(1, 1, 3),
  to: fc.constantFrom('alice' as const, 'bob' as const, 'all' as const, 'carol' as const),
  isJunk: fc.boolean(),
  isRepeated: fc.boolean(),
});
const backgroundTask: fc.Arbitrary<BackgroundTask> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('index' as const), isCold: fc.boolean(), isRepeated: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const), pick }) },
);
const phase: fc.Arbitrary<Phase> = fc.record({
  clients: fc.array(fc.array(clientTask, { minLength: 2, maxLength: 12, size: 'max' }), { minLength: 2, maxLength: 3 }),
  arrivals: fc.array(arrival, { minLength: 1, maxLength: 6, size: 'max' }),
  background: fc.array(backgroundTask, { maxLength: 4, size: 'max' }),
  trouble: fc.constantFrom(
    'none' as const,
    'none' as const,
    'none' as const,
    'SES throttles' as const,
    'SES is closed' as const,
    'redeployment' as const,
    'deactivation' as const,
  ),
  minutesAfter: fc.constantFrom(1, 20, 7 * hour, 40 * day),
});

export const historyArbitrary: fc.Arbitrary<History> = fc.record({
  phases: fc.array(phase, { minLength: 1, maxLength: 3, size: 'max' }),
  retentionDays: fc.constantFrom(14, 1, 14, 0),
  seed: fc.nat(2 ** 31 - 1),
  faultRate: fc.constantFrom(0, 0.05, 0.1, 0.15),
});
