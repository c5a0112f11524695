import { createHash } from 'node:crypto';

/** The most frequent work of a request: it serializes and parses JSON, hashes, and sorts. */
const work = (): number => {
  const records = Array.from({ length: 390 }, (_, i) => ({
    id: `M${(i * 7919) % 390}`,
    keywords: { $seen: true, $flagged: i % 2 === 0 },
    from: [{ name: `Sender ${i}`, email: `sender.${i}@example.net` }],
    subject: 'mail store carries every message to its reader',
    receivedAt: 1_600_000_000_000 + ((i * 104_729) % 1_000_003),
    size: i * 31,
  }));
  let sum = 0;
  for (let round = 0; round < 2; round++) {
    const text = JSON.stringify(records);
    const parsed: typeof records = JSON.parse(text);
    parsed.sort((one, other) => one.receivedAt - other.receivedAt || (one.id < other.id ? -1 : 1));
    sum += createHash('sha256').update(text).digest()[0]! + parsed[0]!.size;
  }
  return sum;
};

/**
 * CPU milliseconds of a fixed piece of work, the unit of CPU budgets: the minimum of several batches. It took 1 ms where
 * the budgets were set. CPU times differ twofold between machines; their ratio to this figure differs much less.
 */
export const fixedWorkCpu = (): number => {
  for (let i = 0; i < 50; i++) work();
  return Math.min(
    ...Array.from({ length: 20 }, () => {
      const before = process.cpuUsage();
      for (let i = 0; i < 10; i++) work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 10_000;
    }),
  );
};
