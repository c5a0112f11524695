import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { preparePythonEnvironment } from '../../../sandbox/emulator/python-environment.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const place = temporaryDirectory();
beforeEach(() => mkdir(place('bin')));

/** Adds a fake Python to PATH. `venv` and `pip` are shell commands. */
const python = async (name: string, { version = '3.12', venv = 'true', pip = 'true' }): Promise<void> => {
  const path = place('bin', name);
  const made = `mkdir -p "$4/bin" && cp "${path}" "$4/bin/python"`;
  await writeFile(
    path,
    `#!/bin/sh
case "$1 $2" in
  "-c "*) printf '%s\\n%s\\n' "$0" ${version} ;;
  "-m venv") ${venv} && ${made} && echo venv >> ${place()}/calls ;;
  "-m pip") ${pip} && echo pip >> ${place()}/calls ;;
esac
`,
  );
  await chmod(path, 0o755);
};

const prepare = (report?: (text: string) => void): Promise<void> =>
  preparePythonEnvironment({ directory: place('venv'), report, path: `${place('bin')}:${place('tools')}` });

/** A directory with the programs that the fakes call, but without Python. */
beforeEach(async () => {
  await mkdir(place('tools'));
  for (const name of ['mkdir', 'cp', 'sleep']) await writeFile(place('tools', name), `#!/bin/sh\nPATH=/usr/bin:/bin exec ${name} "$@"\n`, { mode: 0o755 });
});

const calls = async (): Promise<string[]> => (await readFile(place('calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean);

describe('the Python environment', () => {
  test('is created once and reused', async () => {
    await python('python3', {});
    const reports: string[] = [];
    await prepare((text) => reports.push(text));
    await prepare();
    expect(await calls()).toEqual(['venv', 'pip']);
    expect(reports).toEqual(['finding Python', 'creating an environment with Python 3.12', 'installing MiniStack']);
  });

  test('reports the progress of pip', async () => {
    await python('python3', { pip: 'echo "Collecting ministack==1"; echo "  Downloading ministack.whl (3 MB)"; echo other' });
    const reports: string[] = [];
    await prepare((text) => reports.push(text));
    expect(reports.slice(-2)).toEqual(['pip: Collecting ministack==1', 'pip: Downloading ministack.whl (3 MB)']);
  });

  test('is created once by concurrent calls', async () => {
    await python('python3', { pip: 'sleep 0.5' });
    await Promise.all([prepare(), prepare(), prepare()]);
    expect(await calls()).toEqual(['venv', 'pip']);
  });

  test('is created again when the process that created it was killed', async () => {
    await python('python3', {});
    await writeFile(place('venv.lock'), '999999999');
    await mkdir(place('venv', 'bin'), { recursive: true });
    await prepare();
    expect(await calls()).toEqual(['venv', 'pip']);
  });

  test('is created again when its requirements or the machine’s Python have changed', async () => {
    await python('python3', {});
    await prepare();
    await writeFile(place('venv', 'postrider-requirements'), 'of another version\n3.12\n');
    await prepare();
    await rm(place('venv', 'bin', 'python'));
    await prepare();
    expect(await calls()).toEqual(['venv', 'pip', 'venv', 'pip', 'venv', 'pip']);
  });

  test('installs packages that are published as source only after the others', async () => {
    await python('python3', { pip: `echo "$9 \${10}" >> ${place()}/pip-calls` });
    const [requirements, sourceRequirements] = [place('wheels.lock'), place('sources.lock')];
    await Promise.all([requirements, sourceRequirements].map((file) => writeFile(file, '')));
    await preparePythonEnvironment({ directory: place('venv'), path: `${place('bin')}:${place('tools')}`, requirements, sourceRequirements });
    expect(await readFile(place('pip-calls'), 'utf8')).toMatch(/^--no-deps --only-binary\n--no-deps --no-build-isolation\n$/);
  });

  test('uses the first Python that is new enough', async () => {
    await python('python3', { version: '3.9' });
    await python('python3.11', { version: '3.11' });
    const reports: string[] = [];
    await prepare((text) => reports.push(text));
    expect(reports[1]).toBe('creating an environment with Python 3.11');
  });
});

describe('the error message of preparePythonEnvironment', () => {
  test('names the required Python when there is none', async () => {
    await expect(prepare()).rejects.toMatchObject({
      name: 'SandboxError',
      message: 'The AWS emulator needs Python 3.10 or newer, and no python3 was found in PATH.',
      nextStep: expect.stringContaining('apt-get install python3 python3-venv'),
    });
  });

  test('names the installed version when it is too old', async () => {
    await python('python3', { version: '3.8' });
    await expect(prepare()).rejects.toThrow('The AWS emulator needs Python 3.10 or newer; this machine has 3.8');
  });

  test('names Debian’s package when the venv module is missing', async () => {
    await python('python3', { venv: 'echo "The virtual environment was not created successfully because ensurepip is not available." && false' });
    await expect(prepare()).rejects.toMatchObject({ name: 'SandboxError', nextStep: expect.stringContaining('apt-get install python3-venv') });
  });

  test('gives the reason when pip fails, and the next call starts again', async () => {
    await python('python3', { pip: 'echo "Collecting ministack" && echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES" && false' });
    await expect(prepare()).rejects.toThrow(/^pip could not install the AWS emulator:\nERROR: THESE PACKAGES DO NOT MATCH THE HASHES$/);
    await python('python3', {});
    await prepare();
    expect(await calls()).toEqual(['venv', 'venv', 'pip']);
  });
});
