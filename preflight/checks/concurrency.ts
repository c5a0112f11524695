import { refusals } from '../../contract/deployment/checks.ts';
import { downloadLimits } from '../../contract/jmap/blob.ts';
import { backgroundConcurrency } from '../../lib/lambda/background-concurrency.ts';
import { attention, checkOf, fault, ok, unknown } from '../check.ts';
import { known } from '../facts.ts';
import { isDeployed } from './existing.ts';

/** The Lambdas that run only on a schedule with this concurrency limit. */
const delayed = (limit: number): string[] =>
  Object.entries(backgroundConcurrency(limit).queues)
    .filter(([, use]) => use === 'scheduled')
    .map(([name]) => name);

/** The people whose slow downloads together can take all Lambdas of the account. */
const slowReaders = (limit: number): number => Math.ceil(limit / downloadLimits.atOnce);

const effectOf = (limit: number): string => {
  const names = delayed(limit);
  const { downloads } = backgroundConcurrency(limit).reserved;
  return `${
    names.length > 0
      ? `${names.join(', ')} run once in one to five minutes, so Web Push, bounces and removals are late by that; mail itself is not`
      : 'all queues are handled as messages arrive'
  }; ${
    downloads === undefined
      ? `${slowReaders(limit)} people with ${downloadLimits.atOnce} slow downloads each keep everybody else waiting`
      : `downloads take ${downloads} at most`
  }`;
};

/** Compares the account's limit of concurrent Lambda executions with the setting `lambdaConcurrency`. */
export const concurrencyCheck = checkOf('Lambda concurrency', 'concurrency', 'allow lambda:GetAccountSettings', (limits, facts) => {
  const { account_limit: limit } = limits;
  const { lambdaConcurrency: setting } = facts.settings;
  if (limit === undefined) return unknown('Lambda tells no limit', 'look at aws lambda get-account-settings');
  const { reservedTogether } = backgroundConcurrency(setting);
  const reserved = reservedTogether - (known(facts.reservedNow) ?? (isDeployed(facts) ? reservedTogether : 0));
  const refusal = refusals.concurrency({ setting, reserved, limits });
  if (refusal) return fault('fail', refusal);
  const names = delayed(setting);
  const couldReserve = backgroundConcurrency(limit).reservedTogether > reservedTogether;
  if (setting < limit && (names.length > delayed(limit).length || couldReserve)) {
    const unreserved = couldReserve ? '; executions are reserved for mail, sign-in and downloads from a higher setting on' : '';
    return attention(
      `the account has ${limit.toLocaleString('en-US')}, and the setting says ${setting}: ${effectOf(setting)}${unreserved}`,
      `pass -c lambdaConcurrency=${limit}`,
    );
  }
  return names.length > 0
    ? attention(
        `${limit}${limit === 10 ? ', as in a new account' : ''}: ${effectOf(setting)}`,
        'ask Service Quotas for 1,000 (free), and deploy again with -c lambdaConcurrency=1000 when it is granted',
      )
    : ok(`${limit.toLocaleString('en-US')}, setting ${setting.toLocaleString('en-US')}: ${effectOf(setting)}`);
});
