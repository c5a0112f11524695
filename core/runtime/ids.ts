import { createHash } from 'node:crypto';
import { nanoid } from 'nanoid';
import { idLength, idPrefixes, type IdKind } from '../../contract/values/ids.ts';

/** Generates an id. Tests pass a generator of their own. */
export type NewId = (kind: IdKind) => string;

/** An id such as `user_V1StGXR8_Z5jdHi6B-myT`, with 126 random bits. */
export const newId: NewId = (kind) => `${idPrefixes[kind]}_${nanoid(idLength)}`;

/**
 * The id of a sender address. It is derived from the address, because only the provider stores the identity, and the
 * next call must find the same id.
 */
export const identityIdOf = (email: string): string =>
  `${idPrefixes.identity}_${createHash('sha256').update(email.toLowerCase()).digest('base64url').slice(0, idLength)}`;
