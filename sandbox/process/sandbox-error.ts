/** An error with a message for the user, printed without a stack trace. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  /** The next step for the user. */
  readonly nextStep: string | undefined;
  constructor(message: string, nextStep?: string) {
    super(message);
    this.nextStep = nextStep;
  }
}
