import { coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { coreEcho } from '../../../contract/jmap/record.ts';
import { MethodError } from './errors.ts';
import { customMethod } from './method.ts';

/**
 * Whether the value's JSON text has more than about `maxLength` characters. It is not serialized for that, because
 * result references can repeat one value many times.
 */
const isLongerThan = (value: unknown, maxLength: number): boolean => {
  let length = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && length <= maxLength) {
    const next = pending.pop();
    length += typeof next === 'string' ? next.length + 1 : 1;
    if (Array.isArray(next)) for (const element of next) pending.push(element);
    else if (typeof next === 'object' && next !== null) {
      for (const [name, element] of Object.entries(next)) {
        length += name.length;
        pending.push(element);
      }
    }
  }
  return length > maxLength;
};

/**
 * Core/echo (RFC 8620 §4).
 * @throws MethodError requestTooLarge when resolved result references make the arguments too large.
 */
export const coreEchoMethod = customMethod(coreEcho, (args: JsonObject) => {
  if (isLongerThan(args, coreLimits.maxSizeRequest)) {
    throw new MethodError('requestTooLarge', 'The arguments are too large with the values of their result references.');
  }
  return args;
});
