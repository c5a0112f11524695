import { OperatorError } from '../../runtime/errors.ts';
import type { Value } from '../../storage/table.ts';

/** Attributes of an item without its key, or of one record inside a log entry. */
export type Attributes = { readonly [name: string]: Value | undefined };

/** The attribute that holds the version of an item, or of the records of one type in a log entry. */
export const versionAttribute = 'v';

/**
 * Versions above 1, by kind of item. A kind keeps its number when a reader of earlier versions is removed: deployments
 * have items of that number.
 */
const versions: Readonly<Record<string, number>> = { 'account head': 5, 'log entry': 2, Mailbox: 2 };

/** The version in which items of a kind are written. @param kind as in {@link checkedAttributes}. */
export const itemVersion = (kind: string): number => versions[kind] ?? 1;

/**
 * Thrown for an item that a newer release wrote. The message names only the kind of item and the versions: no content
 * of a user.
 */
export class UnknownItemVersion extends OperatorError {
  override readonly name = 'UnknownItemVersion';
  constructor(kind: string, version: unknown) {
    super(`a stored ${kind} has version ${String(version)}, but this release reads version ${itemVersion(kind)}: `
      + 'deploy the release that wrote it, or a newer one');
  }
}

/**
 * The attributes of an item, or of one record in a log entry, whose version is known.
 * @param kind the kind of item, for the error message.
 * @throws UnknownItemVersion for a version that this release does not know.
 */
export const checkedAttributes = (kind: string, attributes: Attributes): Attributes => {
  const version = attributes[versionAttribute];
  if (version !== itemVersion(kind)) throw new UnknownItemVersion(kind, version);
  return attributes;
};
