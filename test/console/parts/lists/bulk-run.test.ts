import { runBulk, type Outcome } from '../../../../console/parts/lists/bulk-run.ts';

const rows = Array.from({ length: 9 }, (_, index) => ({ name: `row ${index}` }));

/** Runs the rows, each of which takes a turn. @param stopAt the number of ended rows after which no further one is begun. */
const run = async (work: (name: string) => Promise<string | undefined>, stopAt = Infinity) => {
  const outcomes = new Map<string, Outcome>();
  let [running, mostAtOnce, ended] = [0, 0, 0];
  await runBulk(rows, {
    async run({ name }) {
      mostAtOnce = Math.max(mostAtOnce, ++running);
      await new Promise(setImmediate);
      running -= 1;
      ended += 1;
      return work(name);
    },
    note: ({ name }, outcome) => void outcomes.set(name, outcome),
    isStopped: () => ended >= stopAt,
  });
  return { outcomes, mostAtOnce, states: [...outcomes.values()].map(({ state }) => state) };
};

describe('a change of many rows', () => {
  test('is made for each row, four at once, with what is to say of it', async () => {
    const { outcomes, mostAtOnce } = await run((name) => Promise.resolve(`made ${name}`));
    expect(mostAtOnce).toBe(4);
    expect([...outcomes]).toEqual(rows.map(({ name }) => [name, { state: 'done', text: `made ${name}` }]));
  });

  test('goes on after a row that fails', async () => {
    const error = new Error('refused');
    const { outcomes, states } = await run((name) => (name === 'row 2' ? Promise.reject(error) : Promise.resolve(undefined)));
    expect(outcomes.get('row 2')).toEqual({ state: 'failed', error });
    expect(states.filter((state) => state === 'done')).toHaveLength(8);
  });

  test('ends what is running when it is stopped, and begins nothing more', async () => {
    const { states } = await run(() => Promise.resolve(undefined), 1);
    expect(states).toEqual([...Array(4).fill('done'), ...Array(5).fill('stopped')]);
  });
});
