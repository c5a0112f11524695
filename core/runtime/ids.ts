import { createHash } from 'node:crypto';
import { nanoid } from 'nanoid';
import { idLength, idPrefixes, type IdKind } from '../../contract/ids.ts';

/** Where new ids come from; tests bring their own. */
export type NewId = (kind: IdKind) => string;

/** `user_V1StGXR8_Z5jdHi6B-myT`: 126 random bits, so that nobody guesses one and none comes twice. */
export const newId: NewId = (kind) => `${idPrefixes[kind]}_${nanoid(idLength)}`;

/** The id of a sending identity that is a single address: the same for the same address, which the provider alone keeps. */
export const identityIdOf = (email: string): string =>
  `${idPrefixes.identity}_${createHash('sha256').update(email.toLowerCase()).digest('base64url').slice(0, idLength)}`;
