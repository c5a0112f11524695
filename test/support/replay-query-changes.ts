/** The parts of a /queryChanges response that change a list of ids (RFC 8620 §5.6). */
export type QueryChanges = {
  readonly removed: readonly string[];
  readonly added: readonly { readonly id: string; readonly index: number }[];
};

/**
 * Brings the ids that a client has up to date, as RFC 8620 §5.6 describes. They are all results of the query, or the
 * first ones. Of the new results, the returned ids are the first ones too: an id beyond the end of the list is unknown.
 * @throws Error when an id is added that the client still has, or the indexes are not in ascending order.
 */
export const replayQueryChanges = (held: readonly string[], { removed, added }: QueryChanges): readonly string[] => {
  const gone = new Set(removed);
  const ids = held.filter((id) => !gone.has(id));
  let previous = -1;
  for (const { id, index } of added) {
    if (index <= previous) throw new Error(`the index ${index} comes after ${previous}`);
    if (ids.includes(id)) throw new Error(`${id} is added again`);
    if (index <= ids.length) ids.splice(index, 0, id);
    previous = index;
  }
  return ids;
};
