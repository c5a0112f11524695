import { deletedMailRetention } from '../../../contract/deployment/deleted-mail.ts';
import { optionalSetting } from './settings.ts';

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
