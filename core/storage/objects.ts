/**
 * The port to the mail bucket. Adapter: `s3-objects.ts`; the fake in `test/fakes/` passes the same port suite. Keys:
 * `inbound/<receipt rule>/<SES message id>`, `messages/<account id>/<…>`, `uploads/<account id>/<…>`,
 * `media/<account id>/<…>`, * `outgoing/<account id>/<…>`, `snapshots/<account id>/<…>`, `downloads/<account id>/<…>`.
 */
export type StoredObject = {
  readonly bytes: Buffer;
  /** Size of the whole object, even when a range was read. */ readonly size: number;
  readonly type?: string;
};

export type ListedObject = { readonly key: string; readonly modified: Date };

export type Objects = {
  /** The object, or a range (`end` exclusive; empty beyond the end); undefined when it does not exist. */
  get(key: string, range?: { readonly start: number; readonly end: number }): Promise<StoredObject | undefined>;
  put(key: string, bytes: Buffer, type?: string): Promise<void>;
  /** Copies an object on the server. @returns false when there is no object at `from`. */
  copy(from: string, to: string): Promise<boolean>;
  /** Size of the object; undefined when it does not exist. */
  size(key: string): Promise<number | undefined>;
  /** Lists up to 1000 objects with the prefix, by key in ascending order. */
  list(prefix: string): Promise<readonly ListedObject[]>;
  /** Removes objects. Absent objects are ignored. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes up to 1000 objects with the prefix. @returns the number of removed objects; 0 when there are none. */
  removeSome(prefix: string): Promise<number>;
  /**
   * Deletes objects with all of their versions. In a bucket with versions, other removals keep a version, from which a
   * restoration can make the object readable again. Absent objects are ignored.
   */
  erase(keys: readonly string[]): Promise<void>;
  /**
   * Deletes up to 1000 versions of objects with the prefix, including those of removed objects.
   * @returns the number of deleted versions; 0 when there are none.
   */
  eraseSome(prefix: string): Promise<number>;
};

/** The size of the whole object, from a Content-Range such as `bytes 0-9/1234`. */
export const wholeSize = (contentRange: string | undefined): number | undefined => {
  const size = /\/(\d+)$/.exec(contentRange ?? '')?.[1];
  return size === undefined ? undefined : Number(size);
};
