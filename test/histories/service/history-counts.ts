/**
 * Counts of faults and events in histories, by kind. In a run of many histories, each count is positive. `overtaken`
 * and the next seven are faults of commits.
 */
export const noCounts = () => ({
  overtaken: 0,
  contended: 0,
  refused: 0,
  'lost after': 0,
  'lost before': 0,
  late: 0,
  'crash before': 0,
  'crash after': 0,
  submissions: 0,
  'sent recipients': 0,
  'repeated recipients': 0,
  'failed recipients': 0,
  canceled: 0,
  'dead letters': 0,
  snapshots: 0,
  segments: 0,
  trims: 0,
  removals: 0,
  restored: 0,
});

export type HistoryCounts = ReturnType<typeof noCounts>;

export const addCounts = (to: HistoryCounts, counts: HistoryCounts): void => {
  for (const kind of Object.keys(to) as (keyof HistoryCounts)[]) to[kind] += counts[kind];
};

/** The kinds that occurred in no history. */
export const missingKinds = (counts: HistoryCounts): string[] => Object.entries(counts).flatMap(([kind, count]) => (count > 0 ? [] : [kind]));
