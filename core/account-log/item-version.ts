import { OperatorError } from '../runtime/error-log-fields.ts';
import { rowOf, type Value } from '../storage/table.ts';

/** Attributes of an item without its key, or of one record inside a log entry. */
export type Attributes = { readonly [name: string]: Value | undefined };

/** The attribute that holds the version of an item, or of the records of one type in a log entry. */
export const versionAttribute = 'v';

/** The first version of a kind of item. Versions are never numbered again, because deployments have such items. */
export const firstVersion = 1;

/** Thrown for an item that a newer release wrote. The message has no content of a user. */
export class UnknownItemVersion extends OperatorError {
  override readonly name = 'UnknownItemVersion';
  constructor(kind: string, version: unknown, known: number) {
    super(`a stored ${kind} has version ${String(version)}, but this release reads version ${known}: deploy the release that wrote it, or a newer one`);
  }
}

/**
 * The attributes of an item, or of one record in a log entry, after a check of the version: {@link rowOf}.
 * @param kind the kind of item, for the error message.
 * @param known the version that this release writes and reads.
 * @throws UnknownItemVersion for a version that this release does not know.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- see rowOf
export const checkedRow = <Row>(kind: string, attributes: Attributes, known = firstVersion): Row => {
  const version = attributes[versionAttribute];
  if (version !== known) throw new UnknownItemVersion(kind, version, known);
  return rowOf<Row>(attributes);
};
