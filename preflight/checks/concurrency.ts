import { concurrencyRefusal } from '../../contract/deployment/deployment-refusals.ts';
import { backgroundConcurrency } from '../../lib/lambda/background-concurrency.ts';
import { known, type Facts } from '../facts.ts';
import { isDeployed } from './existing.ts';
import { line, lineFor, type Line } from '../line.ts';

/** The Lambdas that run only on a schedule with this concurrency limit. */
const delayed = (limit: number): string[] =>
  Object.entries(backgroundConcurrency(limit).queues).filter(([, use]) => use === 'scheduled').map(([name]) => name);

const effectOf = (limit: number): string => {
  const names = delayed(limit);
  return names.length > 0
    ? `${names.join(', ')} run once in one to five minutes, so Web Push, bounces and removals are late by that; mail itself is not`
    : 'all queues are handled as messages arrive';
};

/** Compares the account's limit of concurrent Lambda executions with the setting `lambdaConcurrency`. */
export const checkConcurrency = (facts: Facts): Line[] => [
  lineFor('Lambda concurrency', facts.concurrency, 'allow lambda:GetAccountSettings', (limits) => {
    const { account_limit: limit } = limits;
    const { lambdaConcurrency: setting } = facts.settings;
    if (limit === undefined) return line('unknown', 'Lambda concurrency', 'Lambda tells no limit', 'look at aws lambda get-account-settings');
    const { reservedTogether: reserved } = backgroundConcurrency(setting);
    const refusal = concurrencyRefusal(setting, reserved - (known(facts.reservedNow) ?? (isDeployed(facts) ? reserved : 0)), limits);
    if (refusal) return line('fail', 'Lambda concurrency', refusal.reason, refusal.nextStep);
    const names = delayed(setting);
    const couldReserve = backgroundConcurrency(limit).reservedTogether > reserved;
    if (setting < limit && (names.length > delayed(limit).length || couldReserve)) {
      const unreserved = couldReserve ? '; executions are reserved for mail and sign-in from a higher setting on' : '';
      return line('attention', 'Lambda concurrency',
        `the account has ${limit.toLocaleString('en-US')}, and the setting says ${setting}: ${effectOf(setting)}${unreserved}`, `pass -c lambdaConcurrency=${limit}`);
    }
    return names.length > 0
      ? line('attention', 'Lambda concurrency', `${limit}${limit === 10 ? ', as in a new account' : ''}: ${effectOf(setting)}`,
        'ask Service Quotas for 1,000 (free), and deploy again with -c lambdaConcurrency=1000 when it is granted')
      : line('ok', 'Lambda concurrency', `${limit.toLocaleString('en-US')}, setting ${setting.toLocaleString('en-US')}: ${effectOf(setting)}`);
  }),
];
