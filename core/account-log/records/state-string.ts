/**
 * A position in an account's log: after the commit `sequence`, or inside the next commit when `afterId` is set, after
 * the change of the record with that id. /changes returns a position inside a commit when the commit changed more than
 * maxChanges records of the type.
 */
export type LogPosition = { readonly sequence: number; readonly afterId?: string };

const pattern = /^([A-Za-z]{1,64})-(0|[1-9]\d{0,11})(?:\.([A-Za-z0-9_-]{1,255}))?$/;

/** The state string of a position (RFC 8620 §1.6): `Email-12`, or `Email-12.M1` with `afterId`. */
export const stateString = (type: string, { sequence, afterId }: LogPosition): string => `${type}-${sequence}${afterId === undefined ? '' : `.${afterId}`}`;

/**
 * The position that a state string names.
 * @returns undefined when the text is not a state string, or is one of another type than `type`.
 */
export const parseStateString = (state: string, type?: string): LogPosition | undefined => {
  const [, ofType, sequence, afterId] = pattern.exec(state) ?? [];
  if (sequence === undefined || (type !== undefined && ofType !== type)) return undefined;
  return { sequence: Number(sequence), ...(afterId !== undefined && { afterId }) };
};
