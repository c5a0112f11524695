import { defaultQuota, quotaResources, type QuotaAmounts } from '../../../contract/jmap/quota.ts';
import { optionalSetting } from '../../runtime/settings.ts';

/**
 * The limits of the deployment, for accounts without limits of their own.
 * @throws Error when the setting is not JSON with a number for each resource.
 */
export const quotaSetting = (): QuotaAmounts => {
  const text = optionalSetting('accountQuota');
  if (text === undefined) return defaultQuota;
  const amounts = JSON.parse(text) as Partial<QuotaAmounts>;
  if (!quotaResources.every((resource) => Number.isSafeInteger(amounts[resource]))) throw new Error('the setting accountQuota is not valid');
  return amounts as QuotaAmounts;
};
