import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lambdaEntries } from '../../lib/lambda/lambda-entries.ts';

const root = join(import.meta.dirname, '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'synth-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A module that makes every connection of a Node.js process in this run fail. */
const noNetwork = join(scratch, 'no-network.cjs');
writeFileSync(noNetwork, 'require("node:net").Socket.prototype.connect = () => { throw new Error("there is no network"); };');

type Run = { readonly code: number; readonly output: string };

/** Runs `cdk synth` without credentials, without a region and without Docker in the PATH. */
const synth = (name: string, ...context: string[]): Promise<Run> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'node_modules/aws-cdk/bin/cdk'), 'synth', '--all', '--quiet', '--output', join(scratch, name), ...context.flatMap((entry) => ['-c', entry])],
      {
        cwd: root,
        env: {
          PATH: [join(root, 'node_modules/.bin'), join(process.execPath, '..')].join(':'),
          HOME: scratch,
          CDK_HOME: scratch,
          NODE_OPTIONS: `--require ${noNetwork}`,
        },
      },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` }),
    );
  });

describe('cdk synth --all', () => {
  test('needs no credentials, no network and no Docker', async () => {
    const { code, output } = await synth(
      'plain',
      'domain=example.com',
      'removalPolicy=destroy',
      'adminEmail=ada@example.com',
      'headlessClients=[{"name":"AdminHeadless","audiences":["adminApi"],"permissions":["ADMIN"]}]',
    );
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    const resources = ['Postrider-data', 'Postrider', 'Postrider-admin'].flatMap((stack) =>
      Object.values(
        (JSON.parse(readFileSync(join(scratch, 'plain', `${stack}.template.json`), 'utf8')) as { Resources: Record<string, { Type: string }> }).Resources,
      ),
    );
    expect(resources.filter(({ Type }) => Type === 'AWS::Lambda::Function')).toHaveLength(Object.keys(lambdaEntries).length);
    expect(readdirSync(join(scratch, 'plain')).filter((name) => name.startsWith('asset.'))).toHaveLength(Object.keys(lambdaEntries).length);
  });

  test('reports an invalid context without a stack trace', async () => {
    const { code, output } = await synth('wrong', 'domain=example', 'prefix=A.B');
    expect(code).not.toBe(0);
    expect(output).toContain('domain: pass the mail domain');
    expect(output).toContain('prefix: pass one label');
    expect(output).not.toMatch(/\n\s+at /);
  });
});
