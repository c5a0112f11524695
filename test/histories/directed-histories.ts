import type { Arrival, ClientTask, Phase } from './history-tasks.ts';

const times = <Task>(task: Task, count: number): readonly Task[] => Array.from({ length: count }, () => task);

const sync: ClientTask = { do: 'sync' };
const destroyFour: ClientTask = { do: 'destroy', pick: 0, count: 4 };
const picks = (task: 'copy' | 'import', count: number): readonly ClientTask[] => Array.from({ length: count }, (_, pick) => ({ do: task, pick }));
const three: Arrival = { count: 3, to: 'alice', isJunk: false, isRepeated: false };
const restore = { do: 'restore', pick: 1 } as const;
const index = { do: 'index', isCold: true, isRepeated: false } as const;

/**
 * The phases of histories in which tasks interact in a particular way that is rare in random histories. The seed of a
 * history decides only the order of its calls.
 */
export const directedHistories: Readonly<Record<string, readonly Phase[]>> = {
  'answers arrive while the references of destroyed Emails are removed': [
    { clients: [[sync]], arrivals: times(three, 2), background: [], minutesAfter: 1 },
    { clients: [times(destroyFour, 2)], arrivals: [], background: [], minutesAfter: 1 },
    { clients: [[sync]], arrivals: [], background: [index], minutesAfter: 20 },
    { clients: [[sync]], arrivals: times(three, 4), background: [{ do: 'remove' }], minutesAfter: 1 },
  ],
  'messages are added again while a part of their destroyed Emails is removed': [
    { clients: [[sync]], arrivals: times({ ...three, to: 'bob' }, 2), background: [], minutesAfter: 1 },
    { clients: [[...picks('copy', 6), destroyFour]], arrivals: [], background: [], minutesAfter: 1 },
    { clients: [[sync]], arrivals: [], background: [index], minutesAfter: 20 },
    { clients: [[destroyFour]], arrivals: [], background: [], minutesAfter: 1 },
    { clients: [[sync]], arrivals: [], background: [{ do: 'remove' }], minutesAfter: 1 },
    { clients: [[...picks('import', 4), ...picks('copy', 6)]], arrivals: [], background: [], minutesAfter: 1 },
  ],
  'destroyed messages are restored while answers arrive and others of their Threads are removed': [
    { clients: [[sync]], arrivals: times(three, 3), background: [], minutesAfter: 1 },
    { clients: [times(destroyFour, 2)], arrivals: [], background: [index], minutesAfter: 23 * 60 },
    { clients: [times(destroyFour, 1)], arrivals: [], background: [index], minutesAfter: 3 * 60 },
    { clients: [[sync]], arrivals: times(three, 2), background: [{ do: 'remove' }, restore, { do: 'remove' }], minutesAfter: 20 },
    { clients: [[destroyFour]], arrivals: times(three, 2), background: [{ do: 'remove' }, restore, restore], minutesAfter: 1 },
  ],
  'messages are delivered twice while clients destroy and search them': [
    { clients: [...times(times(destroyFour, 4), 2), ...times(times(sync, 6), 2)], arrivals: [{ ...three, isRepeated: true }], background: [], minutesAfter: 1 },
  ],
};
