import { SetError } from '../request/jmap-errors.ts';

/** Maximum properties and maximum reasons in an error. A large create may have many more. */
const [maxNames, maxReasons] = [100, 3];

/** Collects the invalid properties of a new record, by paths such as `textBody/0/charset` (RFC 8620 §5.3). */
export class InvalidProperties {
  readonly #reasons = new Map<string, string>();

  add(path: string, reason: string): void {
    if (!this.#reasons.has(path)) this.#reasons.set(path, reason);
  }

  /** @throws SetError invalidProperties if any property is invalid. */
  throwIfAny(): void {
    if (this.#reasons.size === 0) return;
    const reasons = [...this.#reasons].slice(0, maxReasons).map(([path, reason]) => `${path.slice(0, 200)}: ${reason}.`);
    throw new SetError('invalidProperties', reasons.join(' '), [...this.#reasons.keys()].slice(0, maxNames));
  }
}

/** The path of a member of the value at `path`. */
export const memberPath = (path: string, member: string | number): string =>
  (path === '' ? '' : `${path}/`) + String(member).replaceAll('~', '~0').replaceAll('/', '~1');
