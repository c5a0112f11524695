/** Where "now" comes from. Rules take the time as an argument; only wiring passes {@link systemClock}. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
