import type { CliContext } from './cli-context.ts';

/** The parts of the machine that the commands for mail use, besides those of every command line. */
export type MailContext = CliContext & {
  readonly terminal: {
    /** Whether messages go to a terminal, where a line can be written again. */
    readonly isInteractive: boolean;
    readonly columns: () => number;
    /** Writes to standard error as it is. */
    readonly write: (text: string) => void;
  };
  /** Asks for a secret, which is not shown. @throws CliError without a terminal. */
  readonly readSecret: (prompt: string) => Promise<string>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Waits. Ends at once when the signal is aborted. */
  readonly pause: (milliseconds: number) => Promise<void>;
};
