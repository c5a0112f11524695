import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { withFileLock } from '../../../cli/sign-in/file-lock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const folder = temporaryDirectory();
let file: string;
beforeEach(() => {
  file = folder('below', 'tokens.json');
});

const left = () => readdir(folder('below'));

test('withFileLock runs one holder at a time and leaves no files', async () => {
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, () =>
      withFileLock(file, async () => {
        most = Math.max(most, (inside += 1));
        await pause(5);
        inside -= 1;
      }),
    ),
  );
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
  await Promise.all(
    Array.from({ length: 6 }, () =>
      withFileLock(
        file,
        async () => {
          most = Math.max(most, (inside += 1));
          await pause(60);
          inside -= 1;
        },
        300,
      ),
    ),
  );
  expect(Date.now() - begun).toBeGreaterThan(300);
  expect(most).toBe(1);
  expect(await left()).toEqual([]);
});

test('a lock that its holder still updates is not stale', async () => {
  await withFileLock(file, async () => undefined);
  await writeFile(`${file}.turn`, '');
  const alive = setInterval(() => {
    void utimes(`${file}.turn`, new Date(), new Date());
  }, 50);
  const next = withFileLock(file, async () => 'next', 300);
  expect(await Promise.race([next, pause(900, 'waits')])).toBe('waits');
  clearInterval(alive);
  expect(await next).toBe('next');
});

test('a holder whose lock was removed as stale does not release another’s lock', async () => {
  let goOn = () => {};
  const asleep = withFileLock(
    file,
    () =>
      new Promise<void>((resolve) => {
        goOn = resolve;
      }),
  );
  await pause(100);
  const [sight] = await left();
  await rm(folder('below', sight!));
  const other = withFileLock(file, () => pause(150));
  await pause(50);
  goOn();
  await asleep;
  expect(await left()).toEqual(['tokens.json.turn']);
  await other;
  expect(await left()).toEqual([]);
});

test('a lock file that cannot be written is an error that names it', async () => {
  await writeFile(folder('below'), '');
  await expect(withFileLock(file, async () => undefined)).rejects.toThrow(`${folder('below')} cannot be written`);
});
