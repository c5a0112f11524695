/** Something that went wrong in words a person can act on: printed without a stack. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  /** What to do about it. */
  readonly nextStep: string | undefined;
  constructor(message: string, nextStep?: string) {
    super(message);
    this.nextStep = nextStep;
  }
}
