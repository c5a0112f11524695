import { environment, type EnvironmentKey } from '../../../contract/deployment/environment.ts';
import type { Mfa } from '../../../contract/oauth/oauth.ts';

/** A setting of the deployment, from the environment. @throws Error if it is missing. */
export const setting = (key: EnvironmentKey): string => {
  const value = process.env[environment[key]];
  if (!value) throw new Error(`${environment[key]} is not set`);
  return value;
};

/** A setting that a deployment may leave out. */
export const optionalSetting = (key: EnvironmentKey): string | undefined => process.env[environment[key]] || undefined;

/** The setting `mfa`. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the stack sets it from a value of the type
export const mfaSetting = (): Mfa => setting('mfa') as Mfa;

/** The AWS region of this Lambda. */
export const region = (): string => {
  const value = process.env['AWS_REGION'];
  if (!value) throw new Error('AWS_REGION is not set');
  return value;
};
