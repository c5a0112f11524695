import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withFileLock } from '../../../cli/sign-in/file-lock.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-turn-'));
  file = join(folder, 'below', 'tokens.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const left = () => readdir(join(folder, 'below'));

test('withFileLock runs one holder at a time and leaves no files', async () => {
  let inside = 0;
  let most = 0;
  await Promise.all(Array.from({ length: 8 }, () => withFileLock(file, async () => {
    most = Math.max(most, inside += 1);
    await pause(5);
    inside -= 1;
  })));
  expect(most).toBe(1);
  expect(await left()).toEqual([]);
});

test('an error in the work releases the lock', async () => {
  await expect(withFileLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withFileLock(file, async () => 'next')).toBe('next');
});

test('a stale lock is removed, and one waiting process takes it', async () => {
  await withFileLock(file, async () => undefined);
  await writeFile(`${file}.turn`, '');
  let inside = 0;
  let most = 0;
  const begun = Date.now();
  await Promise.all(Array.from({ length: 6 }, () => withFileLock(file, async () => {
    most = Math.max(most, inside += 1);
    await pause(60);
    inside -= 1;
  }, 300)));
  expect(Date.now() - begun).toBeGreaterThan(300);
  expect(most).toBe(1);
  expect(await left()).toEqual([]);
});

test('a lock that is touched is not stale', async () => {
  await withFileLock(file, async () => undefined);
  await writeFile(`${file}.turn`, '');
  const alive = setInterval(() => { void utimes(`${file}.turn`, new Date(), new Date()); }, 50);
  const next = withFileLock(file, async () => 'next', 300);
  expect(await Promise.race([next, pause(900, 'waits')])).toBe('waits');
  clearInterval(alive);
  expect(await next).toBe('next');
});

test('a holder whose lock was removed as stale does not release another’s lock', async () => {
  let goOn = () => {};
  const asleep = withFileLock(file, () => new Promise<void>((resolve) => { goOn = resolve; }));
  await pause(100);
  const [sight] = await left();
  await rm(join(folder, 'below', sight!));
  const other = withFileLock(file, () => pause(150));
  await pause(50);
  goOn();
  await asleep;
  expect(await left()).toEqual(['tokens.json.turn']);
  await other;
  expect(await left()).toEqual([]);
});

test('a lock file that cannot be written is an error that names it', async () => {
  await writeFile(join(folder, 'below'), '');
  await expect(withFileLock(file, async () => undefined)).rejects.toThrow(`${join(folder, 'below')} cannot be written`);
});
