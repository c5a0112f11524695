import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template as Synthesized } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { deploymentContext } from '../../../lib/deployment-context.ts';
import { createDeployment } from '../../../lib/stacks/deployment.ts';
import type { Template } from '../../../preflight/cost/idle-units.ts';
import { costReport } from './cost-report.ts';

/** `npm run bench:cost`: writes docs/cost.md for a deployment with the settings of cdk.json. */
const root = join(import.meta.dirname, '..', '..', '..');
const { context: settings } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
const context = deploymentContext({ ...settings, domain: 'example.com' });
const stacks = Object.values(createDeployment(new App(), { context, code: () => Code.fromInline('exports.handler = () => {};') }));
/** The resources of all stacks. */
const Resources = Object.assign({}, ...stacks.map((stack) => (Synthesized.fromStack(stack).toJSON() as Template).Resources)) as Template['Resources'];
writeFileSync(join(root, 'docs', 'cost.md'), await costReport({ Resources }));
