import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../lib/lambda/lambda-bundles.ts';
import { endAllProcesses } from '../sandbox/process/child-processes.ts';
import { freeBasePort } from '../sandbox/process/ports.ts';
import { SandboxError } from '../sandbox/process/sandbox-error.ts';
import { fixedWorkCpu } from './cpu/fixed-work.ts';
import { startDynamodbLocal } from './process/dynamodb-local.ts';
import { startLocalBucket } from './process/local-bucket.ts';
import { startLocalIdentityProvider } from './process/local-identity-provider.ts';
import { createTables, emptyInvocationCpu, startMeasuredLambda } from './process/measured-lambda.ts';
import { meteredDynamodb, type DynamodbUsage } from './process/metered-dynamodb.ts';
import { httpEvent, requestKinds } from './process/process-requests.ts';
import { RequestMeter } from './process/request-cpu.ts';
import { cpuLine, isOver, reportTable, type ReportLine } from './report-table.ts';

/** `npm run bench:process`: see README.md beside this file. */
const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '12' },
    'warm-up': { type: 'string', default: '200' },
    only: { type: 'string', default: '' },
    against: { type: 'string' },
    profiles: { type: 'string' },
  },
});
const kinds = requestKinds.filter(({ title }) => title.includes(values.only));

/** Fresh processes in which the first requests are measured. */
const freshProcesses = 3;

const progress = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
const median = (figures: readonly number[]): number => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!;
const milliseconds = (figure: number): string => `${figure.toFixed(2)} ms`;

/** CPU milliseconds of a request in each batch, by the title of the request kind. */
type Figures = Map<string, number[]>;
const noFigures = (): Figures => new Map(kinds.map(({ title }) => [title, []]));

/** A bundle that is measured. */
type Measured = { readonly start: () => ReturnType<typeof startMeasuredLambda>; readonly fresh: Figures; readonly warm: Figures };

/** The line of one kind of request. The note has the median, and the figures of the bundles for comparison. */
const lineOf = (what: string, unit: number, atMost: number, figures: readonly number[], against: readonly number[] | undefined, note = '') =>
  cpuLine({
    what,
    cpu: Math.min(...figures),
    atMost,
    unit,
    note: [
      `median ${milliseconds(median(figures))}`,
      ...(against ? [`the other bundle ${milliseconds(Math.min(...against))}, median ${milliseconds(median(against))}`] : []),
      ...(note === '' ? [] : [note]),
    ].join(' · '),
  });

const describeUsage = ({ calls, readUnits, writeUnits }: DynamodbUsage): string =>
  `${calls.length} calls, ${readUnits} read units${writeUnits > 0 ? `, ${writeUnits} write units` : ''}`;

const measure = async (): Promise<ReportLine[]> => {
  const port = await freeBasePort(7600);
  const bundled = bundle({
    root: join(import.meta.dirname, '..'),
    entries: { jmap: 'lambdas/jmap/index.ts' },
    sources: ['core', 'lambdas', 'contract', 'package-lock.json', 'tsconfig.json'],
    cache: '.bundles',
  });
  progress('starting DynamoDB Local …');
  const dynamodb = await meteredDynamodb(port + 1, await startDynamodbLocal(port));
  const bucket = await startLocalBucket(port + 2);
  const { accessToken, url: identityProvider, ...identityServer } = await startLocalIdentityProvider(port + 3, 'alice');
  const cloud = { dynamodb: dynamodb.url, bucket: `http://127.0.0.1:${port + 2}`, identityProvider };

  const bundles: Measured[] = [];
  for (const [i, folder] of [join(bundled, 'jmap'), ...(values.against === undefined ? [] : [values.against])].entries()) {
    const tables = `Lambda${i}`;
    progress(`writing ${values.messages} messages …`);
    await createTables(cloud.dynamodb, tables, Number(values.messages));
    const start = () => startMeasuredLambda({ cloud, bundle: folder, tables, port: port + 4 + i, profiles: values.profiles });
    bundles.push({ start, fresh: noFigures(), warm: noFigures() });
  }

  const meters: RequestMeter[] = [];
  for (const { start, fresh } of bundles) {
    const meter = new RequestMeter(await start(), accessToken);
    for (let i = 1; ; i++) {
      progress(`measuring the first requests of process ${i} …`);
      for (const kind of kinds) fresh.get(kind.title)!.push(await meter.measureBatch(kind));
      if (i === freshProcesses) break;
      await meter.lambda.stop();
      meter.lambda = await start();
    }
    meters.push(meter);
    progress('warming up …');
    await meter.warmUp(kinds, Number(values['warm-up']));
  }

  const usage = new Map<string, DynamodbUsage>();
  for (const kind of kinds) usage.set(kind.title, await dynamodb.measure(await meters[0]!.prepare(kind)));

  let unit = fixedWorkCpu();
  for (let round = 1; round <= Number(values.rounds); round++) {
    progress(`measuring, round ${round} of ${values.rounds} …`);
    for (const kind of kinds) for (const [i, { warm }] of bundles.entries()) warm.get(kind.title)!.push(await meters[i]!.measureBatch(kind));
    unit = Math.min(unit, fixedWorkCpu());
  }
  for (const { lambda } of meters) await lambda.stop();
  const runtime = await emptyInvocationCpu(port + 4, httpEvent(accessToken, []));
  await Promise.all([dynamodb, bucket, identityServer].map((server) => server.stop()));

  const [measured, against] = bundles;
  return [
    ...kinds.map(({ title, atMost }) =>
      lineOf(title, unit, atMost.warm, measured!.warm.get(title)!, against?.warm.get(title), describeUsage(usage.get(title)!)),
    ),
    ...kinds.map(({ title, atMost }) => lineOf(`first requests: ${title}`, unit, atMost.first, measured!.fresh.get(title)!, against?.fresh.get(title))),
    cpuLine({ what: 'the runtime alone, in each of these', cpu: runtime, unit }),
    { what: 'one unit: the fixed piece of work', figure: unit, unit: 'ms' },
  ];
};

try {
  const lines = await measure();
  const over = lines.filter(isOver);
  process.stdout.write(`\n${reportTable(lines)}\n\n${over.length === 0 ? 'Every budget is held.' : `${over.length} over budget.`}\n`);
  process.exitCode = over.length === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof SandboxError)) throw error;
  process.stderr.write(`${error.message}\n${error.nextStep ?? ''}\n`);
  process.exitCode = 1;
} finally {
  await endAllProcesses();
}
