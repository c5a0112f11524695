/** What the command line needs of the machine that it runs on. Given as an argument, so that tests give another. */
export type CliContext = {
  readonly environment: { readonly [name: string]: string | undefined };
  /** The result, to standard output. */
  readonly print: (text: string) => void;
  /** Everything that is for people only, to standard error. */
  readonly printMessage: (text: string) => void;
  readonly readInput: () => Promise<string>;
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Shows a page to the person; nothing happens where there is no browser. */
  readonly openBrowser: (url: string) => void;
};
