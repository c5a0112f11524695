import { appendFileSync } from 'node:fs';

/** An answer of AWS that a test saw, where several are right. `npm run aws:first-hour` prints it beside the assumption. */
export type Observation = { /** The titles of the test and its groups, separated by spaces. */ readonly test: string; readonly seen: string };

/** The file of the observations, one a line as JSON, if somebody reads them. */
const file = process.env['POSTRIDER_OBSERVATIONS'];

/** Notes what the running test saw. It has no addresses and no mail. */
export const observe = (seen: string): void => {
  const observation: Observation = { test: expect.getState().currentTestName ?? '', seen };
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(observation)}\n`);
};
