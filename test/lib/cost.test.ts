import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { costReport, idleUsd } from '../../bench/cost/cost-report.ts';
import { synthesize } from './stack-under-test.ts';

const root = join(import.meta.dirname, '..', '..');
const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
const { json } = synthesize({ ...context, domain: 'example.com' });

describe('docs/cost.md', () => {
  test('is what npm run bench:cost writes', async () => {
    expect(readFileSync(join(root, 'docs', 'cost.md'), 'utf8')).toBe(await costReport(json));
  });
});

test('an idle deployment costs less than 1 USD a month beyond what AWS gives every account', async () => {
  expect((await idleUsd(json)).beyondFree).toBeLessThan(1);
});
