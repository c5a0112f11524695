/** The first pause before a provider is asked again; each next one in a row is twice as long, up to the longest. In milliseconds. */
const firstPause = 5 * 60_000;
const longestPause = 6 * 3_600_000;

/** Failures in a row after which a request is given up: about a week. */
export const mostFailures = 32;

/** How long a submission may be under way: longer than the worker lives. */
export const submissionTime = 10 * 60_000;

/** When to ask again after so many times in a row that nothing came of it. */
export const nextTurn = (now: Date, timesInARow: number): Date => new Date(now.getTime() + Math.min(longestPause, firstPause * 2 ** Math.min(timesInARow, 20)));
