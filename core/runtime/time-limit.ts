import { createContext, Script, type Context } from 'node:vm';

/** Thrown when synchronous work took longer than its time limit. */
export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded';
  constructor(milliseconds: number) {
    super(`the work did not end within ${Math.round(milliseconds)} ms`);
  }
}

/** Loaded at the first use, which takes a millisecond. */
let limited: { readonly context: Context; readonly script: Script } | undefined;

const isTimeOut = (error: unknown): boolean => typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Runs synchronous work that V8 interrupts after a time, also within a regular expression. What the work leaves behind
 * must not matter: neither its `catch` nor its `finally` runs after an interruption. A call takes about 0.2 ms. Work that the
 * machine kept from running, as a busy one may, is tried once more.
 * @throws TimeLimitExceeded, and what the work throws.
 */
export const withinTime = <T>(milliseconds: number, run: () => T): T => {
  limited ??= { context: createContext({}), script: new Script('run()') };
  const { context, script } = limited;
  for (let mayRepeat = true; ; mayRepeat = false) {
    const started = process.cpuUsage();
    try {
      context['run'] = run;
      const result: T = script.runInContext(context, { timeout: Math.max(1, Math.round(milliseconds)) });
      return result;
    } catch (error) {
      if (!isTimeOut(error)) throw error;
      const { user, system } = process.cpuUsage(started);
      if (!mayRepeat || (user + system) / 1000 > milliseconds / 4) throw new TimeLimitExceeded(milliseconds);
    } finally {
      // It may hold a message of 40 MB.
      context['run'] = undefined;
    }
  }
};
