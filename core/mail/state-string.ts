/**
 * A place in an account's history: after a commit; or, with `past`, inside the commit that follows, after its change to that id of the type.
 * States of the second kind come from /changes with a maxChanges below the number of changes in one commit.
 */
export type Place = { readonly sequence: number; readonly past?: string };

const pattern = /^([A-Za-z]{1,64})-(0|[1-9]\d{0,11})(?:\.([A-Za-z0-9_-]{1,255}))?$/;

/** The state string of a place (RFC 8620 §1.6): `Email-12`. */
export const stateAt = (type: string, { sequence, past }: Place): string => `${type}-${sequence}${past === undefined ? '' : `.${past}`}`;

/** The place that a state string names; undefined for anything that is not a state string, or that is one of another type. */
export const placeOf = (state: string, type?: string): Place | undefined => {
  const [, ofType, sequence, past] = pattern.exec(state) ?? [];
  if (sequence === undefined || (type !== undefined && ofType !== type)) return undefined;
  return { sequence: Number(sequence), ...(past !== undefined && { past }) };
};
