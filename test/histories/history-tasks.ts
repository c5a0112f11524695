import * as fc from 'fast-check';

/** A task of a client. `pick` chooses among the records that the client sees then. */
export type ClientTask =
  | { readonly do: 'create' | 'replace' | 'import' | 'copy' | 'move between accounts'; readonly pick: number }
  | { readonly do: 'mark' | 'move' | 'destroy'; readonly pick: number; readonly count: number }
  | { readonly do: 'make mailbox' | 'rename mailbox' | 'nest mailbox' | 'destroy mailbox' | 'swap roles'; readonly pick: number }
  | { readonly do: 'send'; readonly recipients: number; readonly holdMinutes: number; readonly cancels: Cancellation }
  | { readonly do: 'sync' };

/** When a client cancels what it sends: about the moment of sending, in which both race, or before. */
type Cancellation = 'race' | 'before' | 'never';

/** Messages that arrive together. SQS hands them to a second Lambda too when they are `isRepeated`. */
export type Arrival = { readonly count: number; readonly isForBob: boolean; readonly isJunk: boolean; readonly isRepeated: boolean };

/** A run of the indexer on what the stream has, or of the account-removal Lambda on what is due. */
export type BackgroundTask = { readonly do: 'index'; readonly isCold: boolean; readonly isRepeated: boolean } | { readonly do: 'remove' };

/** Tasks that run at the same time; then time passes. */
export type Phase = {
  /** The tasks of each jmap Lambda. */
  readonly clients: readonly (readonly ClientTask[])[];
  readonly arrivals: readonly Arrival[];
  readonly background: readonly BackgroundTask[];
  /** What happens to the pipeline of sent mail meanwhile, in a history with faults. */
  readonly trouble?: 'none' | 'SES throttles' | 'SES is closed' | 'redeployment' | 'deactivation';
  readonly minutesAfter: number;
};

export type History = {
  readonly phases: readonly Phase[];
  /** Decides the order of all calls, and their faults. */
  readonly seed: number;
  /** The part of writes that fail. Of reads, it is a tenth. */
  readonly faultRate: number;
};

/** In minutes. */
const [hour, day] = [60, 24 * 60];

const pick = fc.nat(1000);
const count = fc.integer({ min: 1, max: 4 });
const clientTask: fc.Arbitrary<ClientTask> = fc.oneof(
  {
    weight: 5, arbitrary: fc.record({
      do: fc.constantFrom('create' as const, 'replace' as const, 'import' as const, 'copy' as const, 'move between accounts' as const), pick,
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('mark' as const, 'move' as const, 'destroy' as const), pick, count }) },
  {
    weight: 4, arbitrary: fc.record({
      do: fc.constantFrom(
        'make mailbox' as const, 'make mailbox' as const, 'rename mailbox' as const, 'nest mailbox' as const, 'destroy mailbox' as const,
        'swap roles' as const,
      ), pick,
    }),
  },
  {
    weight: 7, arbitrary: fc.record({
      do: fc.constant('send' as const), recipients: fc.constantFrom(1, 1, 1, 2, 3, 60, 130), holdMinutes: fc.constantFrom(0, 0, 0, 5, 14, 40, 7 * day),
      cancels: fc.constantFrom('never' as const, 'never' as const, 'never' as const, 'race' as const, 'before' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sync' as const) }) },
);
const arrival = fc.record({ count: fc.constantFrom(1, 1, 3), isForBob: fc.boolean(), isJunk: fc.boolean(), isRepeated: fc.boolean() });
const backgroundTask: fc.Arbitrary<BackgroundTask> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('index' as const), isCold: fc.boolean(), isRepeated: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const) }) },
);
const phase: fc.Arbitrary<Phase> = fc.record({
  clients: fc.array(fc.array(clientTask, { minLength: 2, maxLength: 12, size: 'max' }), { minLength: 2, maxLength: 3 }),
  arrivals: fc.array(arrival, { minLength: 1, maxLength: 6, size: 'max' }),
  background: fc.array(backgroundTask, { maxLength: 4, size: 'max' }),
  trouble: fc.constantFrom(
    'none' as const, 'none' as const, 'none' as const, 'SES throttles' as const, 'SES is closed' as const, 'redeployment' as const, 'deactivation' as const,
  ),
  minutesAfter: fc.constantFrom(1, 20, 7 * hour, 40 * day),
});

export const historyArbitrary: fc.Arbitrary<History> = fc.record({
  phases: fc.array(phase, { minLength: 1, maxLength: 3, size: 'max' }),
  seed: fc.nat(2 ** 31 - 1), faultRate: fc.constantFrom(0, 0.05, 0.1, 0.15),
});
