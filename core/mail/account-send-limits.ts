import { defaultSendLimits, type SendLimits } from '../../contract/deployment/sending.ts';
import { entriesOf } from '../../contract/values/typed-entries.ts';
import { updateHead } from '../account-log/head-writes.ts';
import { decodeHead, sendLimitAttributes } from '../account-log/head.ts';
import { headKey } from '../account-log/keys.ts';
import { optionalSetting } from '../runtime/lambda/settings.ts';
import { WriteRefused, type Table } from '../storage/table.ts';

/** An account's limits of sending, and whether it keeps the people to whom it sends mail as recent contacts. */
export type AccountSending = SendLimits & { readonly keepsRecentContacts: boolean };

/** New settings of an account. Null removes the account's own limit, so that the deployment's limit applies again. */
export type SendLimitChanges = { readonly [limit in keyof SendLimits]?: number | null } & { readonly keepsRecentContacts?: boolean };

/** The settings of sending of accounts, which are stored in the account's head. Every commit reads the head. */
export type AccountSendLimits = {
  /** @returns undefined when the account does not exist. */
  find(accountId: string): Promise<AccountSending | undefined>;
  /** Sets the account's own settings. @returns undefined when the account does not exist. */
  set(accountId: string, changes: SendLimitChanges): Promise<AccountSending | undefined>;
};

/** @param defaults the limits of the deployment, for accounts without their own limits. */
export const accountSendLimitsIn = (table: Pick<Table, 'get' | 'write'>, defaults: SendLimits): AccountSendLimits => {
  const find = async (accountId: string): Promise<AccountSending | undefined> => {
    const item = await table.get(headKey(accountId));
    if (!item) return undefined;
    const { sendLimits, keepsRecentContacts = true } = decodeHead(item);
    return { ...defaults, ...sendLimits, keepsRecentContacts };
  };
  return {
    find,
    async set(accountId, { keepsRecentContacts, ...limits }) {
      const entries: readonly (readonly [attribute: string, value: number | false | null])[] = [
        ...entriesOf(limits).map(([limit, value]) => [sendLimitAttributes[limit], value] as const),
        ...(keepsRecentContacts === undefined ? [] : [['keepsRecentContacts', keepsRecentContacts ? null : false] as const]),
      ];
      const set = Object.fromEntries(entries.filter((entry): entry is readonly [string, number | false] => entry[1] !== null));
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

/** The limits of the deployment. @throws Error when the setting is not JSON with a number for each limit. */
export const sendLimitsSetting = (): SendLimits => {
  const text = optionalSetting('sendLimits');
  if (text === undefined) return defaultSendLimits;
  const { perMinute, perDay }: Partial<SendLimits> = JSON.parse(text);
  if (!Number.isSafeInteger(perMinute) || !Number.isSafeInteger(perDay)) throw new Error('the setting sendLimits is not valid');
  return { perMinute: perMinute!, perDay: perDay! };
};
