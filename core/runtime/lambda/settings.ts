import { deletedMailRetention } from '../../../contract/deployment/deleted-mail.ts';
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

const secondsPerDay = 24 * 60 * 60;

/**
 * Seconds for which deleted mail, accounts and users can be restored.
 * @throws Error when the setting is not a number of days within its limits.
 */
export const recoverableSecondsSetting = (): number => {
  const { default: fallback, min, max } = deletedMailRetention;
  const days = Number(optionalSetting('deletedMailRetentionDays') ?? fallback);
  if (!Number.isInteger(days) || days < min || days > max) throw new Error('the setting deletedMailRetentionDays is not valid');
  return days * secondsPerDay;
};
