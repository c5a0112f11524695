import { capability, coreLimits } from '../../../contract/jmap/core.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { MethodError } from './errors.ts';
import type { Method } from './method.ts';

/** Whether the value's text would have more than that many characters, told without writing it; a value may be in it many times by reference. */
const isHeavier = (value: unknown, most: number): boolean => {
  let weight = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && weight <= most) {
    const next = waiting.pop();
    weight += typeof next === 'string' ? next.length + 1 : 1;
    if (Array.isArray(next)) for (const element of next) waiting.push(element);
    else if (typeof next === 'object' && next !== null) for (const [name, element] of Object.entries(next)) { weight += name.length; waiting.push(element); }
  }
  return weight > most;
};

/** RFC 8620 §4 */
export const coreEcho: Method = {
  capability: capability.core,
  run: (given: JsonObject) => {
    if (isHeavier(given, coreLimits.maxSizeRequest)) throw new MethodError('requestTooLarge', 'What the references stand for is too large to repeat.');
    return given;
  },
};
