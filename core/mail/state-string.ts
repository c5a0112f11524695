import type { PushType } from '../../contract/jmap/push.ts';
import type { StoredType } from './mail-store.ts';

/**
 * A place in an account's history: after a commit, or (`past`) inside the one that follows it, when what it changed of the type has
 * been told up to and including that id. States of the second kind come from /changes with a maxChanges below what one commit changed.
 */
export type Place = { readonly sequence: number; readonly past?: string };

const pattern = /^(Email|Mailbox|Thread)-(0|[1-9]\d{0,11})(?:\.([A-Za-z0-9_-]{1,255}))?$/;

/** The state string of a place (RFC 8620 §1.6): `Email-12`. */
export const stateAt = (type: PushType, { sequence, past }: Place): string => `${type}-${sequence}${past === undefined ? '' : `.${past}`}`;

/** The place that a state string names; undefined for anything that was never a state of an account, and for another type's. */
export const placeOf = (state: string, type?: StoredType): Place | undefined => {
  const [, ofType, sequence, past] = pattern.exec(state) ?? [];
  if (sequence === undefined || (type !== undefined && ofType !== type)) return undefined;
  return { sequence: Number(sequence), ...(past !== undefined && { past }) };
};
