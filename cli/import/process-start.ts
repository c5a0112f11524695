import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { codeOf } from '../../contract/values/thrown.ts';

/**
 * When a process began, as a text that no other process with the same id has. Undefined when no such process runs, or
 * the system does not tell.
 */
export const processStart = async (pid: number): Promise<string | undefined> => {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The second field is the name of the program, which may have blanks and parentheses. The 22nd is the start, in ticks.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : rest[18];
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } }).catch(() => ({
    stdout: '',
  }));
  return stdout.trim() || undefined;
};

/** Whether a process with this id exists. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
};
