const textOf = (thrown: unknown, name: 'name' | 'code' | 'message'): string | undefined => {
  const text: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, name) : undefined;
  return typeof text === 'string' ? text : undefined;
};

/** The name of something that was thrown, such as an error of AWS; undefined for what is no error. */
export const nameOf = (thrown: unknown): string | undefined => textOf(thrown, 'name');

/** The code of something that was thrown by Node.js, such as `ENOENT`. */
export const codeOf = (thrown: unknown): string | undefined => textOf(thrown, 'code');

/** The message of something that was thrown. */
export const messageOf = (thrown: unknown): string => textOf(thrown, 'message') ?? String(thrown);

/** A thrown value as an error. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
