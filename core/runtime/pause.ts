/** Waits this many milliseconds. Tests pass a function that does not wait. */
export type Pause = (milliseconds: number) => Promise<void>;
