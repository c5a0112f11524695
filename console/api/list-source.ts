/** A list from the API, with the pages that were read. */
export type ListSource<Item> = {
  readonly items: readonly Item[] | undefined;
  readonly error: unknown;
  readonly isReading: boolean;
  /** Reads the list again. */
  readonly refresh: () => void;
  /** Reads the next page; undefined when all is read. */
  readonly readMore?: (() => void) | undefined;
};
