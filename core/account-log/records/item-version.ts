import { OperatorError } from '../../runtime/errors.ts';
import type { Value } from '../../storage/table.ts';

/** Attributes of an item without its key, or of one record inside a log entry. */
export type Attributes = { readonly [name: string]: Value | undefined };

/** The attribute that holds the version of an item, or of the records of one type in a log entry. */
export const versionAttribute = 'v';

/** The version that every codec writes. The first codec that writes another one converts the attributes of this one. */
export const itemVersion = 1;

/**
 * Thrown for an item that a newer release wrote. The message names only the kind of item and the versions: no content
 * of a user.
 */
export class UnknownItemVersion extends OperatorError {
  override readonly name = 'UnknownItemVersion';
  constructor(kind: string, version: unknown) {
    super(`a stored ${kind} has version ${String(version)}, but this release reads version ${itemVersion}: `
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
  if (version !== itemVersion) throw new UnknownItemVersion(kind, version);
  return attributes;
};
