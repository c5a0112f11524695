/**
 * Returns the current time. Pure functions take the time as an argument; only Lambda entry files pass {@link
 * systemClock}.
 */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** The day (UTC) of a time in RFC 3339: `2026-11-22`. */
export const utcDayOf = (time: string): string => time.slice(0, 'yyyy-mm-dd'.length);

/** Whole seconds since 1970, the unit of DynamoDB's time to live and of OAuth. */
export const secondsNow = (clock: Clock): number => Math.floor(clock().getTime() / 1000);

/** Waits this many milliseconds. Tests pass a function that does not wait. */
export type Pause = (milliseconds: number) => Promise<void>;
