import { environment, type EnvironmentKey } from '../../contract/environment.ts';

/**
 * The value of a configuration entry.
 * @throws Error when the deployment did not set it: a Lambda that is wired wrongly fails at its start, not in a request.
 */
export const setting = (key: EnvironmentKey): string => {
  const value = process.env[environment[key]];
  if (!value) throw new Error(`${environment[key]} is not set`);
  return value;
};

/** The value of a configuration entry that may be left out. */
export const optionalSetting = (key: EnvironmentKey): string | undefined => process.env[environment[key]] || undefined;

/** The AWS region that this Lambda runs in, as the Lambda service tells it. */
export const region = (): string => {
  const value = process.env['AWS_REGION'];
  if (!value) throw new Error('AWS_REGION is not set');
  return value;
};
