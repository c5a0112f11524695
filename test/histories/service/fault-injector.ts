import { accountOfHead } from '../../../core/account-log/keys.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import type { Table, Write } from '../../../core/storage/table.ts';
import { faultyObjects } from '../../fakes/faulty-objects.ts';
import { faultyTable, LostConnection, ownConditionOf, takeTurn, writeWithFault, type Fault, type LambdaProcess } from '../../fakes/faulty-table.ts';
import type { HistoryCounts } from './history-counts.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** One instance of a Lambda. After its crash, every call to its dependencies fails. */
export type SimulatedLambda = LambdaProcess & {
  readonly mail: Table;
  readonly sending: Table;
  readonly objects: Objects;
  /** A queue as seen by this Lambda, with the Lambda's faults. */
  readonly queue: (send: Queue['send']) => Queue;
  /** The number of faults of its calls so far. */
  faults: number;
  /** The number of faults after which it is unknown whether the write was made. */
  doubts: number;
  /** Whether an invocation ended with an error, so that its results were lost. */
  hasFailed: boolean;
};

/** Faults that any call may have. The caller does not know whether the call had its effect. */
const callFaults = ['lost after', 'lost before', 'late', 'crash before', 'crash after'] as const satisfies readonly Fault[];

/** Faults of a transaction of the mail table with a head. `overtaken`: another commit is written first. */
const commitFaults = ['overtaken', 'contended', 'refused', ...callFaults] as const;

type InjectorOptions = {
  readonly time: SimulatedTime;
  readonly random: () => number;
  readonly faultRate: number;
  readonly counts: HistoryCounts;
  readonly mail: Table;
  readonly sending: Table;
  readonly objects: Objects;
  /** Makes another commit in the account. */
  readonly overtake: (accountId: string) => Promise<void>;
};

/** Makes Lambdas whose calls fail at random, and counts the faults of their commits. */
export const faultInjector = ({ time, random, faultRate, counts, mail, sending, objects, overtake }: InjectorOptions) => {
  let isEnabled = true;
  const rate = () => (isEnabled && !time.isStanding() ? faultRate : 0);
  const pick = <T>(kinds: readonly T[]): T => kinds[Math.floor(random() * kinds.length)]!;
  /** The account of a transaction with a head. */
  const accountOf = ([first, second]: readonly Write[]) => (second && 'update' in first! ? accountOfHead(first.update) : undefined);

  const newLambda = (): SimulatedLambda => {
    const state = { hasCrashed: false, faults: 0, doubts: 0, hasFailed: false };
    const add = (isDoubt: boolean) => {
      state.faults++;
      if (isDoubt) state.doubts++;
    };
    const nextCallFault = () => {
      if (random() >= rate()) return 'none';
      add(true);
      return pick(callFaults);
    };
    /** Faults of any table's write: it may be contended. */
    const nextWriteFault = (): Fault => {
      if (random() >= rate()) return 'none';
      const fault = pick([...callFaults, 'contended'] as const);
      add(fault !== 'contended');
      return fault;
    };
    const nextMailFault = async (writes: readonly Write[]): Promise<Fault> => {
      const accountId = accountOf(writes);
      if (accountId === undefined) return nextWriteFault();
      if (random() >= 2 * rate()) return 'none';
      const fault = pick(ownConditionOf(writes) === undefined ? commitFaults.filter((kind) => kind !== 'refused') : commitFaults);
      counts[fault]++;
      add(callFaults.some((kind) => kind === fault));
      if (fault !== 'overtaken') return fault;
      await overtake(accountId);
      return 'none';
    };
    const mayLose = async <T>(read: () => Promise<T>): Promise<T> => {
      if (random() >= rate() / 10) return read();
      add(true);
      await takeTurn(state, time.turn);
      throw new LostConnection();
    };
    const withLostReads = (table: Table): Table => ({
      ...table,
      get: (key) => mayLose(() => table.get(key)),
      batchGet: (keys) => mayLose(() => table.batchGet(keys)),
      query: (query) => mayLose(() => table.query(query)),
    });
    const bucket = faultyObjects(objects, time.turn, nextCallFault, state);
    const ownObjects: Objects = {
      ...bucket,
      get: (key, range) => mayLose(() => bucket.get(key, range)),
      size: (key) => mayLose(() => bucket.size(key)),
      list: (prefix) => mayLose(() => bucket.list(prefix)),
    };
    return Object.assign(state, {
      mail: withLostReads(faultyTable(mail, time.turn, nextMailFault, state)),
      sending: withLostReads(faultyTable(sending, time.turn, nextWriteFault, state)),
      objects: ownObjects,
      queue: (send: Queue['send']): Queue => ({
        async send(message, delaySeconds) {
          await takeTurn(state, time.turn);
          await writeWithFault({ lambda: state, yieldTurn: time.turn, fault: nextCallFault(), write: () => send(message, delaySeconds) });
        },
      }),
    });
  };
  return {
    newLambda,
    rate,
    enable: (enabled: boolean): void => {
      isEnabled = enabled;
    },
  };
};
