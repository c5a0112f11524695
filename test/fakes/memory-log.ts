import { loggedFields, type Log, type LogFields } from '../../core/runtime/log.ts';

/** A {@link Log} that keeps its records. It throws where a field would be omitted from the log. */
export const memoryLog = (): Log & {
  readonly records: readonly { readonly level: string; readonly message: string; readonly details: LogFields | undefined }[];
} => {
  const records: { level: string; message: string; details: LogFields | undefined }[] = [];
  const at =
    (level: string) =>
    (message: string, details?: LogFields): void => {
      const { omitted } = loggedFields(details);
      if (omitted.length > 0) throw new Error(`no log line may have: ${omitted.join(', ')}`);
      records.push({ level, message, details });
    };
  return { records, info: at('info'), warn: at('warn'), error: at('error') };
};
