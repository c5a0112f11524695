import { OperatorError } from '../../runtime/errors.ts';
import type { Item, Value } from '../../storage/table.ts';

/** Attributes of an item without its key, or of one record inside a log entry. */
export type Attributes = { readonly [name: string]: Value | undefined };

/** The attribute that holds the version of the codec that wrote an item. Items without it are of version 1. */
export const versionAttribute = 'v';

/** Converts attributes of one version to those of the next. */
export type Upgrade = (attributes: Attributes) => Attributes;

/**
 * Thrown for an item that a newer release wrote. The message names only the kind of item and the versions: no content
 * of a user.
 */
export class UnknownItemVersion extends OperatorError {
  override readonly name = 'UnknownItemVersion';
  constructor(kind: string, version: unknown, newest: number) {
    super(`a stored ${kind} has version ${String(version)}, but this release reads versions 1 to ${newest}: `
      + 'deploy the release that wrote it, or a newer one');
  }
}

/**
 * Brings stored attributes to the newest version.
 * @param kind the kind of item, for the error message.
 * @param upgrades one function for each step: the first converts version 1 to 2.
 * @throws UnknownItemVersion for a version that this release does not know.
 */
export const upgradeAttributes = (kind: string, attributes: Attributes, upgrades: readonly Upgrade[] = []): Attributes => {
  const version = attributes[versionAttribute] ?? 1;
  const newest = upgrades.length + 1;
  if (version === newest) return attributes;
  if (!Number.isInteger(version) || (version as number) < 1 || (version as number) > newest) {
    throw new UnknownItemVersion(kind, version, newest);
  }
  return upgrades.slice((version as number) - 1).reduce((converted, upgrade) => upgrade(converted), attributes);
};

/** The attributes of an item without its key. */
export const attributesOf = ({ pk: _pk, sk: _sk, ...attributes }: Item): Attributes => attributes;
