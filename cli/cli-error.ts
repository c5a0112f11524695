/** What the process ends with. */
export const exitCodes = { done: 0, refused: 1, usage: 2, signIn: 3 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Something that the person at the terminal is told in words, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  constructor(message: string, exitCode: ExitCode = exitCodes.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command line is wrong. */
export const usageError = (message: string): CliError => new CliError(message, exitCodes.usage);

/** There is no token, or none that is taken. */
export const signInError = (message: string): CliError => new CliError(message, exitCodes.signIn);
