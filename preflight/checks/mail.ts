import { problemKinds } from '../../contract/admin/problems.ts';
import { problemChecks, refusals, signInMailLimit } from '../../contract/deployment/checks.ts';
import { isRuleOf, receiptRuleName, receiptRuleQuotas, sharedRuleSet } from '../../contract/deployment/receipt-rule-set.ts';
import { isReceivingRegion, receivingRegions } from '../../contract/deployment/receiving-regions.ts';
import { inboundHost } from '../../contract/deployment/sending.ts';
import { attention, check, checkOf, fail, fault, ofAnswer, ok, unknown, type Check } from '../check.ts';
import { sesPlans } from '../cost/aws-prices.ts';
import { known } from '../facts.ts';

/** Rules below which a deployment may soon lack room for its addresses. */
const fewRules = 20;

/** The price of outgoing mail in a plan. */
const priceOf = (name: keyof typeof sesPlans): string => {
  const { monthly, mailOut } = sesPlans[name];
  return `${monthly > 0 ? `${monthly} USD a month and ` : ''}${mailOut.toFixed(2)} USD for 1,000 messages out`;
};

const isKnownPlan = (name: string): name is keyof typeof sesPlans => Object.hasOwn(sesPlans, name);

const wayToAccount = 'allow ses:GetAccount';

/** Checks whether mail can be received and sent. */
export const mailChecks: readonly Check[] = [
  check('SES receives mail here', ({ region, hasInboundHost, activeRuleSet, caller }) => {
    const hasHost = known(hasInboundHost);
    const refusal = refusals.region(region, hasHost);
    if (refusal) return fault('fail', refusal);
    const table = `table of ${receivingRegions.asOf}`;
    if (isReceivingRegion(region)) return ok(`${region} receives mail (${table})${'value' in activeRuleSet ? ', and SES answers' : ''}`);
    if (hasHost === undefined) return attention(`${region} is not in the ${table}, and DNS can't be asked`, receivingRegions.nextStep);
    return 'value' in activeRuleSet || known(caller) === undefined
      ? attention(
          `DNS knows ${inboundHost(region)}, but ${region} is not in the ${table}, ${receivingRegions.elsewhere}`,
          'take a region of the table, or try a message and a download before people come',
        )
      : attention(`${region} is not in the ${table}, and SES doesn't answer: ${activeRuleSet.unknown}`, receivingRegions.nextStep);
  }),

  checkOf('receipt rule set', 'activeRuleSet', 'allow ses:DescribeActiveReceiptRuleSet', (active, { settings }) => {
    const ours = `its rules, ${receiptRuleName(settings.stackName, '*')}`;
    if (active === undefined) return ok(`none is active; the deployment activates ${sharedRuleSet} and adds ${ours}`);
    const isOurs = isRuleOf(settings.stackName);
    const room = receiptRuleQuotas.rules - active.rules.filter((name) => !isOurs(name)).length;
    const found = `${active.name} is active and stays so; the deployment adds ${ours}, before the others, and changes no others, which leave room for ${room}`;
    if (room < 1)
      return fail(`${active.name} is active and has as many rules of others as SES allows`, 'remove rules that nobody needs, or use another region');
    return room < fewRules
      ? attention(found, `${room * receiptRuleQuotas.recipientsPerRule} addresses have room; above, rules list whole domains. Remove rules that nobody needs`)
      : ok(found);
  }),

  checkOf('SES production access', 'sending', wayToAccount, (account) => {
    const problem = (['SENDING_PAUSED', 'SES_SANDBOX'] as const).find((name) => problemChecks[name].find({ SES: account }, () => false)!.length > 0);
    if (problem) return fault('attention', problemKinds[problem]);
    return account.production_access_enabled === undefined
      ? unknown('SES does not say', 'look at the SES console\'s "Account dashboard"')
      : ok(`granted; the account's standing is ${account.enforcement_status ?? 'unknown'}`);
  }),

  checkOf('SES rates', 'sending', wayToAccount, ({ quota }, { settings }) => {
    const { max_24h_send: perDay, max_send_rate_per_second: perSecond } = quota ?? {};
    if (perDay === undefined) return unknown('SES tells no quota', 'look at the SES console\'s "Account dashboard"');
    const found = `${perDay < 0 ? 'no limit' : `${perDay.toLocaleString('en-US')} recipients`} a day, ${perSecond ?? 'unknown'} a second`;
    return perDay >= 0 && perDay < settings.maxRecipientsPerDay
      ? attention(
          `${found}; one account alone may send to ${settings.maxRecipientsPerDay.toLocaleString('en-US')} a day`,
          `ask for more (postrider-admin change-requests CreateChangeRequest), or pass -c maxRecipientsPerDay=${Math.max(1, Math.floor(perDay / 4))}`,
        )
      : ok(found);
  }),

  checkOf('SES price plan', 'pricePlan', wayToAccount, (plan) => {
    if (plan === undefined) return unknown('SES names none', 'look at aws sesv2 get-account; docs/cost.md has the plans');
    const { current, next = current } = plan;
    const found = `${current}${isKnownPlan(current) ? `: ${priceOf(current)}` : ''}${next === current ? '' : `, from next month ${next}`}`;
    return next === 'NONE'
      ? ok(found)
      : attention(
          `${found}; nothing of the deployment needs a plan, and without one it is ${priceOf('NONE')}`,
          'aws sesv2 put-account-pricing-attributes --plan NONE (docs/cost.md)',
        );
  }),

  check('invitations', ({ settings: { domain, signInMailFrom }, identity, sending }) => {
    const status = known(identity)?.verification_status;
    const limit = signInMailLimit({ sendsBySes: signInMailFrom !== undefined, mailDomain: domain, isVerified: status === 'SUCCESS', account: known(sending) });
    if (signInMailFrom === undefined) return fault('attention', limit!);
    return ofAnswer(identity, 'allow ses:GetEmailIdentity', () => {
      const refusal = refusals.sender(signInMailFrom, status);
      if (refusal) return fault('fail', refusal);
      return limit ? fault('attention', limit) : ok(`by SES from ${signInMailFrom}`);
    });
  }),
];
