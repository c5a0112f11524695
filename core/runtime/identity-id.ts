import { createHash } from 'node:crypto';
import { idLength, idPrefixes } from '../../contract/ids.ts';

/** The id of a sending identity that is a single address: the same for the same address, which the provider alone keeps. */
export const identityIdOf = (email: string): string =>
  `${idPrefixes.identity}_${createHash('sha256').update(email.toLowerCase()).digest('base64url').slice(0, idLength)}`;
