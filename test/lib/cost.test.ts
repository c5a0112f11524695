import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usdOf } from '../../preflight/cost/aws-prices.ts';
import { add, idleUnits, watchRun } from '../../preflight/cost/idle-units.ts';
import { costReport } from '../bench/cost/cost-report.ts';
import { countWatch } from '../bench/counts/watch-counts.ts';
import { synthesize } from './stack-under-test.ts';

const root = join(import.meta.dirname, '..', '..');
const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
const { json } = synthesize({ ...context, domain: 'example.com' });

describe('docs/cost.md', () => {
  test('is what npm run bench:cost writes', async () => {
    expect(readFileSync(join(root, 'docs', 'cost.md'), 'utf8')).toBe(await costReport(json));
  });
});

test('an idle deployment costs less than 1 USD a month beyond what AWS gives every account', () => {
  expect(usdOf(add(...Object.values(idleUnits(json))), true)).toBeLessThan(1);
});

test('a run of the watch uses what the cost of an idle deployment has for it', async () => {
  const { queueRequests, metricRequests, ...usage } = watchRun(json);
  const apis = Object.entries(json.Resources)
    .filter(([, { Type }]) => Type === 'AWS::ApiGatewayV2::Api')
    .map(([id]) => ({ name: id, id, stage: '$default', kind: 'http' as const }));
  const counted = await countWatch({
    stack: 'Postrider',
    apis,
    functions: ['notify', 'indexer', 'receipt-rules'],
    inboundTopic: 'received',
    queues: Object.fromEntries(Array.from({ length: queueRequests }, (_, n) => [`queue ${n}`, `queue-${n}`])),
  });
  expect(counted).toEqual({ ...usage, trips: expect.closeTo(usage.trips), queueRequests, metricRequests: expect.closeTo(metricRequests) });
});
