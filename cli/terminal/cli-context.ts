/** The functions of the machine that the command line uses. Tests inject their own. */
export type CliContext = {
  readonly environment: { readonly [name: string]: string | undefined };
  /** Prints a result to standard output. */
  readonly print: (text: string) => void;
  /** Prints a message for people to standard error. */
  readonly printMessage: (text: string) => void;
  readonly readInput: () => Promise<string>;
  readonly fetch: typeof fetch;
  /** The current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Opens a page in the browser. It does nothing when there is no browser. */
  readonly openBrowser: (url: string) => void;
};

/** The functions that the commands about mail use, in addition to those of every command line. */
export type MailContext = CliContext & {
  readonly terminal: {
    /** Whether messages are shown on a terminal, where a line can be written again. */
    readonly isInteractive: boolean;
    readonly columns: () => number;
    /** Writes to standard error without formatting. */
    readonly write: (text: string) => void;
  };
  /** Prompts for a secret without showing the input. @throws CliError without a terminal. */
  readonly readSecret: (prompt: string) => Promise<string>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Waits until the time has passed or the signal is aborted. */
  readonly pause: (milliseconds: number) => Promise<void>;
};
