/** A stored record: its id (RFC 8620 §1.2) and the properties of its type. */
export type StoredRecord = { readonly id: string };

/** The changes of one commit to the records of one type. An id is in one list at most. */
export type TypeChanges<R extends StoredRecord = StoredRecord, Before extends object = object> = {
  readonly created: readonly R[];
  /** `before`: the result of the type's `before` hook for the record before the change. */
  readonly updated: readonly { readonly record: R; readonly before?: Before }[];
  readonly destroyed: readonly { readonly id: string; readonly before?: Before }[];
};

/** One commit, with all data that are needed to apply it to an index and to calculate /changes. */
export type LogEntry = {
  readonly sequence: number;
  /** Time of the commit, in milliseconds since 1970. */
  readonly at: number;
  /** Identifies the write, so that the writer finds it in the log after a lost response. */
  readonly writerId: string;
  /** The changes of each type, by type name. Types that the commit did not change are absent. */
  readonly changes: { readonly [type: string]: TypeChanges };
};

export const noChanges: TypeChanges = { created: [], updated: [], destroyed: [] };

/**
 * The changes of a commit to the records of one type. `R` and `Before` are the types of its records and of the result of
 * its `before` hook.
 */
export const changesOf = <R extends StoredRecord, Before extends object = object>(entry: LogEntry, type: { readonly name: string }): TypeChanges<R, Before> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry has the changes of all types, by their names
  (entry.changes[type.name] ?? noChanges) as TypeChanges<R, Before>;

export const isEmptyChange = ({ created, updated, destroyed }: TypeChanges): boolean => created.length + updated.length + destroyed.length === 0;
