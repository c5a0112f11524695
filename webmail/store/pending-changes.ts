import type { Email, Id } from '../jmap/types.ts';

/** A patch of a record (RFC 8620 §5.3), with paths of one or two names: `keywords/$seen`. Null removes what it names. */
export type Patch = Readonly<Record<string, unknown>>;

/** The patch of an Email that is destroyed: it is in no mailbox. */
export const destroyed: Patch = { mailboxIds: {} };

/** A change that is shown already, and that the records and results of the server may lack. */
export type PendingChange = {
  readonly id: number;
  readonly patches: ReadonlyMap<Id, Patch>;
  readonly settled: Promise<void>;
  /** Whether the server has made it. Responses that were under way then are older. */
  readonly isMade: boolean;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const withValue = (object: Readonly<Record<string, unknown>>, name: string, value: unknown): Readonly<Record<string, unknown>> => {
  const { [name]: _before, ...rest } = object;
  return value === null ? rest : { ...rest, [name]: value };
};

/** A record with a patch. */
export const patched = <R extends object>(record: R, patch: Patch): R => {
  let next: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(record));
  for (const [path, value] of Object.entries(patch)) {
    const [property = '', name] = path.split('/');
    const inner = next[property];
    next = name === undefined ? { ...next, [property]: value } : { ...next, [property]: withValue(isObject(inner) ? inner : {}, name, value) };
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a patch keeps the type of what it patches
  return next as R;
};

/** The patch that undoes another one for a record. */
export const inverseOf = (record: object, patch: Patch): Patch => {
  const values = new Map<string, unknown>(Object.entries(record));
  return Object.fromEntries(
    Object.keys(patch).map((path) => {
      const [property = '', name] = path.split('/');
      const inner = values.get(property);
      return [path, name === undefined ? inner : isObject(inner) ? (inner[name] ?? null) : null];
    }),
  );
};

/** A record as it is shown: the server's, with all changes that are under way, in their order. */
export const shown = <R extends { readonly id: Id }>(record: R, changes: readonly PendingChange[]): R => {
  let next = record;
  for (const { patches } of changes) {
    const patch = patches.get(record.id);
    if (patch) next = patched(next, patch);
  }
  return next;
};

/** The unread Emails that changes add to a mailbox which the server has not made. Its counts have the others. */
export const unreadDifference = (emails: ReadonlyMap<Id, Email>, all: readonly PendingChange[], mailboxId: Id): number => {
  const pending = all.filter(({ isMade }) => !isMade);
  const ids = new Set(pending.flatMap(({ patches }) => [...patches.keys()]));
  let difference = 0;
  const counts = ({ keywords, mailboxIds }: Email): number => (mailboxIds[mailboxId] && !keywords['$seen'] && !keywords['$draft'] ? 1 : 0);
  for (const id of ids) {
    const email = emails.get(id);
    if (email) difference += counts(shown(email, pending)) - counts(email);
  }
  return difference;
};
