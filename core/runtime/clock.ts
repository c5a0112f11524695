/** Where "now" comes from. Rules take the time as an argument; only wiring passes {@link systemClock}. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** Whole seconds since 1970, in which DynamoDB and OAuth count. */
export const secondsNow = (clock: Clock): number => Math.floor(clock().getTime() / 1000);
