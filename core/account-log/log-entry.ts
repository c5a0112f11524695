/** A stored record: its id (RFC 8620 §1.2) and the properties of its type. */
export type StoredRecord = { readonly id: string };

/** The changes of one commit to the records of one type. An id is in one list at most. */
export type TypeChanges<R extends StoredRecord = StoredRecord> = {
  readonly created: readonly R[];
  /** `before`: the result of the type's `before` hook for the record before the change. */
  readonly updated: readonly { readonly record: R; readonly before?: object }[];
  readonly destroyed: readonly { readonly id: string; readonly before?: object }[];
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

/** The changes of a commit to the records of one type. */
export const changesOf = <R extends StoredRecord>(entry: LogEntry, type: { readonly name: string }): TypeChanges<R> =>
  (entry.changes[type.name] ?? noChanges) as TypeChanges<R>;

export const isEmptyChange = ({ created, updated, destroyed }: TypeChanges): boolean => created.length + updated.length + destroyed.length === 0;
