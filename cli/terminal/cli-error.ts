/**
 * The exit codes of the process. `partly`: some messages were not moved. `interrupted`: Ctrl-C, with the shells' usual
 * number.
 */
export const exitCodes = { done: 0, refused: 1, usage: 2, signIn: 3, partly: 4, interrupted: 130 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An error with a message for the user, printed without a stack trace. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode = exitCodes.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const usageError = (message: string): CliError => new CliError(message, exitCodes.usage);

/** The error when there is no valid token. */
export const signInError = (message: string): CliError => new CliError(message, exitCodes.signIn);
