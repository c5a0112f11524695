import type { Log } from '../../core/runtime/log.ts';

/** A {@link Log} that keeps its records. */
export const memoryLog = (): Log & {
  readonly records: readonly { readonly level: string; readonly message: unknown; readonly details: unknown }[];
} => {
  const records: { level: string; message: unknown; details: unknown }[] = [];
  const at = (level: string) => (message: unknown, ...details: unknown[]) => void records.push({ level, message, details: details[0] });
  const nothing = () => undefined;
  return {
    records, info: at('info'), warn: at('warn'), error: at('error'), debug: at('debug'), appendKeys: nothing, resetKeys: nothing,
    addContext: nothing,
  };
};
