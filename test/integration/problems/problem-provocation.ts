/** The cause of a problem in the sandbox, and its end. */
export type ProblemProvocation = {
  /** Brings the deployment into a state in which the problem is not there, whatever earlier tests did. */
  readonly prepare?: () => Promise<unknown>;
  /** @returns the subject of the problem; undefined for the whole deployment. */
  readonly begin: () => Promise<string | undefined>;
  /** Runs of the watch that must find the problem. Default: 1. */
  readonly runs?: 2;
  /** Ends the cause. `undefined`: only time ends it, which `test/lambdas/watch/run-watch.test.ts` shows. */
  readonly end: (() => Promise<unknown>) | undefined;
  /** Removes what `begin` made. */
  readonly cleanUp?: () => Promise<unknown>;
};

/** A problem that the sandbox cannot have. `test/lambdas/watch/run-watch.test.ts` provokes it. */
export type NotInSandbox = { readonly notInSandbox: string };
