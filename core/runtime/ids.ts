import { nanoid } from 'nanoid';
import { idLength, idPrefixes, type IdKind } from '../../contract/ids.ts';

/** Where new ids come from; tests bring their own. */
export type NewId = (kind: IdKind) => string;

/** `user_V1StGXR8_Z5jdHi6B-myT`: 126 random bits, so that nobody guesses one and none comes twice. */
export const newId: NewId = (kind) => `${idPrefixes[kind]}_${nanoid(idLength)}`;
