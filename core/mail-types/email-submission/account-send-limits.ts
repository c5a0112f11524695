import { defaultSendLimits, type SendLimits } from '../../../contract/deployment/sending.ts';
import { optionalSetting } from '../../runtime/lambda/settings.ts';
import { WriteRefused, type Table } from '../../storage/table.ts';
import { decodeHead, sendLimitAttributes } from '../../account-log/head.ts';
import { updateHead } from '../../account-log/head-writes.ts';
import { headKey } from '../../account-log/keys.ts';

/** New limits of an account; null removes its own limit, so that the deployment's holds again. */
export type SendLimitChanges = { readonly [limit in keyof SendLimits]?: number | null };

/** The limits of sending of accounts. They are in the head of the account, which every commit reads. */
export type AccountSendLimits = {
  /** @returns undefined when the account does not exist. */
  find(accountId: string): Promise<SendLimits | undefined>;
  /** Sets limits of the account's own. @returns undefined when the account does not exist. */
  set(accountId: string, changes: SendLimitChanges): Promise<SendLimits | undefined>;
};

/** @param defaults the limits of the deployment, for accounts without limits of their own. */
export const accountSendLimitsIn = (table: Pick<Table, 'get' | 'write'>, defaults: SendLimits): AccountSendLimits => {
  const find = async (accountId: string): Promise<SendLimits | undefined> => {
    const item = await table.get(headKey(accountId));
    return item && { ...defaults, ...decodeHead(item).sendLimits };
  };
  return {
    find,
    async set(accountId, changes) {
      const entries = Object.entries(changes).map(([limit, value]) => [sendLimitAttributes[limit as keyof SendLimits], value] as const);
      const set = Object.fromEntries(entries.filter((entry): entry is [typeof entry[0], number] => entry[1] !== null));
      const remove = entries.flatMap(([attribute, value]) => (value === null ? [attribute] : []));
      if (entries.length === 0) return find(accountId);
      try {
        await table.write([updateHead(accountId, { set, remove }, { present: true })]);
      } catch (error) {
        if (error instanceof WriteRefused && !error.contended) return undefined;
        throw error;
      }
      return find(accountId);
    },
  };
};

/**
 * The limits of the deployment, for accounts without limits of their own.
 * @throws Error when the setting is not JSON with a number for each limit.
 */
export const sendLimitsSetting = (): SendLimits => {
  const text = optionalSetting('sendLimits');
  if (text === undefined) return defaultSendLimits;
  const { perMinute, perDay } = JSON.parse(text) as Partial<SendLimits>;
  if (!Number.isSafeInteger(perMinute) || !Number.isSafeInteger(perDay)) throw new Error('the setting sendLimits is not valid');
  return { perMinute: perMinute!, perDay: perDay! };
};
