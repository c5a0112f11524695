import { createRequire } from 'node:module';
import { deploymentContext } from '../../lib/deployment-context.ts';
import { defaultBasePort, portsFrom } from '../../sandbox/process/ports.ts';
import { cdkContext } from '../../sandbox/deployment/sandbox-stack.ts';
import { filesBelow, textOf } from './sources.ts';

type Step = { readonly run?: string; readonly uses?: string; readonly with?: Record<string, string> };
type Job = {
  readonly if?: string;
  readonly needs?: string;
  readonly permissions?: Record<string, string>;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
};
type Workflow = {
  readonly on: Record<string, unknown>;
  readonly permissions: Record<string, string>;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': boolean };
  readonly env?: Record<string, string>;
  readonly jobs: Record<string, Job>;
};

/** The YAML parser that aws-cdk-lib contains. */
const { parse } = createRequire(require.resolve('aws-cdk-lib'))('yaml') as { parse: (text: string) => Workflow };

const folder = '.github/workflows';
const workflow = (name: string): Workflow => parse(textOf(`${folder}/${name}`));
const commandsOf = ({ steps }: Job): string[] => steps.flatMap(({ run }) => run ?? []);
const usesAction = ({ steps }: Job, name: string): boolean => steps.some(({ uses }) => uses?.startsWith(`${name}@`));

describe('every workflow', () => {
  const workflows = filesBelow(folder, ['.yml']).map((path) => [path, parse(textOf(path))] as const);

  test('is known to these tests', () => {
    expect(workflows.map(([path]) => path).sort()).toEqual(['deploy-sandbox', 'test-upgrade', 'test'].map((name) => `${folder}/${name}.yml`));
  });

  test.each(
    workflows,
  )('%s limits the time of each job and grants each job no more than reading the code and an OIDC token', (_, { permissions, jobs }) => {
    for (const job of Object.values(jobs)) {
      expect(job['timeout-minutes']).toBeGreaterThan(0);
      const { contents, 'id-token': idToken, ...others } = job.permissions ?? permissions;
      expect([contents, others]).toEqual(['read', {}]);
      expect(idToken).toBe(usesAction(job, 'aws-actions/configure-aws-credentials') ? 'write' : undefined);
    }
  });
});

describe('the test workflow', () => {
  const { on, jobs } = workflow('test.yml');
  const job = jobs['test']!;

  test('runs on every push and every pull request', () => {
    expect(on).toEqual({ push: null, pull_request: null });
  });

  test('keeps screenshots of the console in a sandbox as an artifact', () => {
    const { steps } = jobs['screenshots']!;
    const upload = steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
    expect(commandsOf({ steps }).slice(-2)).toEqual(['npm start -- --detach', `npm run console:screenshots -- --to ${upload?.with?.['path']}`]);
  });

  test('runs .ci/run, which installs the packages and runs the test command of the README', () => {
    const section = textOf('README.md').split('\n## Test\n')[1]!;
    const testCommand = /^\s*(npm .+)$/m.exec(section)?.[1];
    expect(commandsOf(job)).toEqual(['.ci/run']);
    expect(textOf('.ci/run').trimEnd().split('\n').slice(-2)).toEqual([expect.stringMatching(/^npm ci\b/), testCommand]);
  });
});

describe('the deploy-sandbox workflow', () => {
  const { on, concurrency, env = {}, jobs } = workflow('deploy-sandbox.yml');
  const [testJob, removeJob] = [jobs['test']!, jobs['remove']!];
  const commandWith = (job: Job, words: string): string => commandsOf(job).find((command) => command.includes(words)) ?? '';

  /** The `-c key=value` arguments of a command, with the variables of the workflow filled in. */
  const contextOf = (command: string): Record<string, string> => Object.fromEntries([...command.matchAll(/ -c (\w+)=(?:"\$(\w+)"|(\S+))/g)]
    .map(([, key, variable, value]) => [key!, variable ? env[variable]! : value!]));
  const deployed = contextOf(commandWith(testJob, 'cdk deploy'));

  test('runs on request and every night, one run at a time, and never cancels a run', () => {
    expect(on).toEqual({ workflow_dispatch: null, schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }] });
    expect(concurrency).toEqual({ group: 'deploy-sandbox', 'cancel-in-progress': false });
  });

  test('deploys a stack that leaves no data behind, with the clients of the integration tests', () => {
    const { removalPolicy, headlessClients } = deploymentContext({ ...deployed, domain: 'example.com' });
    expect(removalPolicy).toBe('destroy');
    expect(headlessClients).toEqual(cdkContext(portsFrom(defaultBasePort), '')['headlessClients']);
  });

  test('runs the preflight first, with the settings of the deployment', () => {
    const commands = commandsOf(testJob);
    const preflight = commandWith(testJob, 'npm run preflight');
    expect(contextOf(preflight)).toEqual(deployed);
    expect(commands.indexOf(preflight)).toBeLessThan(commands.indexOf(commandWith(testJob, 'cdk deploy')));
  });

  test('runs the integration tests on the outputs of the stack', () => {
    expect(commandWith(testJob, 'cdk deploy')).toContain('--outputs-file outputs.json');
    expect(commandsOf(testJob).at(-1)).toBe('npm run test:integration -- --outputs outputs.json');
  });

  test('removes the stack that it deploys, even when the tests fail', () => {
    expect(removeJob).toMatchObject({ needs: 'test', if: 'always() && needs.test.result != \'skipped\'' });
    const destroyed = contextOf(commandWith(removeJob, 'cdk destroy --all --force'));
    expect(destroyed).toEqual({ stackName: deployed['stackName'], domain: deployed['domain'] });
    expect(destroyed['stackName']).toMatch(/^\w+$/);
  });

  test('reads the role, the domain and the region from repository variables and holds no AWS keys', () => {
    const text = textOf(`${folder}/deploy-sandbox.yml`);
    expect([...new Set(text.match(/vars\.\w+/g))].sort()).toEqual(['vars.SANDBOX_DOMAIN', 'vars.SANDBOX_REGION', 'vars.SANDBOX_ROLE_ARN']);
    expect(text).not.toMatch(/secrets\.|aws-access-key-id/);
  });
});
