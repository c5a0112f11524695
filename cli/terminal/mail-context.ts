import type { CliContext } from './cli-context.ts';

/** The parts of the environment that the commands for mail use, besides those of every command line. */
export type MailContext = CliContext & {
  readonly terminal: {
    /** Whether messages go to a terminal, where a line can be written again. */
    readonly isInteractive: boolean;
    readonly columns: () => number;
    /** Writes to standard error without formatting. */
    readonly write: (text: string) => void;
  };
  /** Asks for a secret, which is not shown. @throws CliError without a terminal. */
  readonly readSecret: (prompt: string) => Promise<string>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Waits until the time is over or the signal is aborted. */
  readonly pause: (milliseconds: number) => Promise<void>;
};
