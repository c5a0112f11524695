/**
 * The port to the mail bucket. Adapter: `s3-objects.ts`; the fake in `test/fakes/` passes the same port suite. Keys:
 * `inbound/<receipt rule>/<SES message id>`, `messages/<account id>/<…>`, `uploads/<account id>/<…>`,
 * `outgoing/<account id>/<…>`, `snapshots/<account id>/<…>`, `downloads/<account id>/<…>`.
 */
export type StoredObject = {
  readonly bytes: Buffer;
  /** Size of the whole object for any range. */ readonly size: number;
  readonly type?: string;
};

export type ListedObject = { readonly key: string; readonly modified: Date };

export type Objects = {
  /**
   * The object or a range of it (`end` exclusive); undefined when the object does not exist. A range that starts beyond
   * the end is empty.
   */
  get(key: string, range?: { readonly start: number; readonly end: number }): Promise<StoredObject | undefined>;
  put(key: string, bytes: Buffer, type?: string): Promise<void>;
  /** Server-side copy; false when there is nothing at `from`. */
  copy(from: string, to: string): Promise<boolean>;
  /** Size of the object; undefined when there is none. */
  size(key: string): Promise<number | undefined>;
  /** Up to 1000 of the objects with the prefix, by key in ascending order. */
  list(prefix: string): Promise<readonly ListedObject[]>;
  /** Removes objects; absent ones are ignored. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes up to 1000 of the objects with the prefix. @returns how many; 0 if there are none. */
  removeSome(prefix: string): Promise<number>;
  /** A URL that reads the object and is valid for `seconds`. S3 responds with this type and `Content-Disposition`. */
  signedUrl(key: string, answer: { readonly type: string; readonly disposition: string; readonly seconds: number }): Promise<string>;
};

/** The size of the whole object, from a Content-Range such as `bytes 0-9/1234`. */
export const wholeSize = (contentRange: string | undefined): number | undefined => {
  const size = /\/(\d+)$/.exec(contentRange ?? '')?.[1];
  return size === undefined ? undefined : Number(size);
};
