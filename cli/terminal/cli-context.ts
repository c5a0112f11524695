/** The parts of the machine that the command line uses. Tests pass their own. */
export type CliContext = {
  readonly environment: { readonly [name: string]: string | undefined };
  /** Prints a result, to standard output. */
  readonly print: (text: string) => void;
  /** Prints a message for people, to standard error. */
  readonly printMessage: (text: string) => void;
  /** Reads all of standard input. */
  readonly readInput: () => Promise<string>;
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Opens a page in the browser. Does nothing when there is no browser. */
  readonly openBrowser: (url: string) => void;
};
