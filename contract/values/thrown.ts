const member = (thrown: unknown, name: 'name' | 'code' | 'message'): unknown =>
  typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, name) : undefined;

/** The name of something that was thrown, such as an error of AWS; undefined for what is no error. */
export const nameOf = (thrown: unknown): unknown => member(thrown, 'name');

/** The code of something that was thrown by Node.js, such as `ENOENT`. */
export const codeOf = (thrown: unknown): unknown => member(thrown, 'code');

/** The message of something that was thrown. */
export const messageOf = (thrown: unknown): string => String(member(thrown, 'message') ?? thrown);
