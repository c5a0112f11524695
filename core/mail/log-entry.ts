/** A record as the store keeps it: an id (RFC 8620 §1.2), and the properties of its type. */
export type StoredRecord = { readonly id: string };

/** What one commit did to the records of one type. An id is in one list at most. */
export type TypeChanges<R extends StoredRecord = StoredRecord> = {
  readonly created: readonly R[];
  /** `before`: what the type's `before` hook kept of the record as it was. */
  readonly updated: readonly { readonly record: R; readonly before?: object }[];
  readonly destroyed: readonly { readonly id: string; readonly before?: object }[];
};

/** One commit: everything that indexes need to follow it and that /changes needs to answer. */
export type LogEntry = {
  readonly sequence: number;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** Identifies the write, so that a writer whose answer was lost can find out whether it happened. */
  readonly writerId: string;
  /** By type name. Types that the commit did not change are absent. */
  readonly changes: { readonly [type: string]: TypeChanges };
};

export const noChanges: TypeChanges = { created: [], updated: [], destroyed: [] };

/** What the commit did to a type. */
export const changesOf = <R extends StoredRecord>(entry: LogEntry, type: { readonly name: string }): TypeChanges<R> =>
  (entry.changes[type.name] ?? noChanges) as TypeChanges<R>;

export const isEmptyChange = ({ created, updated, destroyed }: TypeChanges): boolean => created.length + updated.length + destroyed.length === 0;
