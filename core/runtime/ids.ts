import { createHash } from 'node:crypto';
import { nanoid } from 'nanoid';
import { idLength, idPrefixes, type IdKind } from '../../contract/values/ids.ts';

/** Generates an id; tests have their own. */
export type NewId = (kind: IdKind) => string;

/** An id such as `user_V1StGXR8_Z5jdHi6B-myT`, with 126 random bits. */
export const newId: NewId = (kind) => `${idPrefixes[kind]}_${nanoid(idLength)}`;

/**
 * The id of a sending identity that is a single address. It is derived from the address, since only the provider stores
 * the identity.
 */
export const identityIdOf = (email: string): string =>
  `${idPrefixes.identity}_${createHash('sha256').update(email.toLowerCase()).digest('base64url').slice(0, idLength)}`;
