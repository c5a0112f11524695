import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backgroundConcurrency, shardsOfNewTable } from '../../lib/background-concurrency.ts';
import { contextKeys } from '../../lib/deployment-context.ts';
import { everything, synthesize } from './stack-under-test.ts';

const guide = readFileSync(join(__dirname, '..', '..', 'docs', 'deploy.md'), 'utf8');

/** The cells of each row of the first table below a heading. */
const table = (heading: string): string[][] => {
  const section = guide.split(`## ${heading}\n`)[1]!.split('\n## ')[0]!;
  return section.split('\n').filter((line) => line.startsWith('|')).slice(2).map(
    (line) => line.slice(1, -1).split(/ \| /).map((cell) => cell.trim()),
  );
};

describe('docs/deploy.md', () => {
  test('lists every setting with the texts of the code', () => {
    expect(table('Settings')).toEqual(
      Object.entries(contextKeys).map(([name, { type, withoutIt, example }]) => [name, type, withoutIt, `\`${example}\``]),
    );
  });

  test('states the Lambdas that may run at once, for several limits of an account', () => {
    const columns = [10, 20, 100, 1_000].map((limit) => {
      const { queues, batchesOfShard } = backgroundConcurrency(limit);
      const running = Object.values(queues).reduce<number>((sum, each) => sum + (each === 'scheduled' ? 0 : each), 0);
      return {
        ...queues,
        'notify, mail table': `${shardsOfNewTable} × ${batchesOfShard}`,
        'notify, directory table': 1,
        together: running + shardsOfNewTable * batchesOfShard + 1,
      };
    });
    const rows = Object.keys(columns[0]!).map((name) => [name, ...columns.map((column) => String(column[name as keyof typeof column]))]);
    expect(table('Lambda\'s concurrency')).toEqual(rows);
  });

  test('lists every output', () => {
    const outputs = Object.keys(synthesize(everything).json.Outputs).map(
      (name) => name.replace(/^(?:Jmap|Admin)Headless(Client(?:Id|Secret))$/, '`<Name>$1`'),
    );
    expect(table('Outputs').map(([name]) => name)).toEqual([...new Set(outputs)]);
  });
});
