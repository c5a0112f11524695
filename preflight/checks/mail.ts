import { sesPlans } from '../cost/aws-prices.ts';
import { isRuleOf, receiptRuleName, receiptRuleQuotas, sharedRuleSet } from '../../contract/deployment/receipt-rules.ts';
import { senderRefusal } from '../../contract/deployment/deployment-refusals.ts';
import { isReceivingRegion, receivingRegions } from '../../contract/deployment/receiving-regions.ts';
import { cognitoMailsPerDay, settingsForSes } from '../../contract/deployment/sign-in-mail.ts';
import { inboundHost } from '../../contract/deployment/sending.ts';
import { known, type Facts } from '../facts.ts';
import { line, lineFor, type Line } from '../line.ts';

const checkRegion = ({ region, hasInboundHost, activeRuleSet, caller }: Facts): Line => {
  const subject = 'SES receives mail here';
  const action = `${receivingRegions.nextStep}: set AWS_REGION`;
  const isListed = isReceivingRegion(region);
  if (isListed && 'value' in activeRuleSet) return line('ok', subject, `${region} receives mail (table of ${receivingRegions.asOf}), and SES answers`);
  if (isListed) return line('ok', subject, `${region} receives mail (table of ${receivingRegions.asOf})`);
  const hasHost = known(hasInboundHost);
  if (hasHost === false) return line('fail', subject, `${region} has no host ${inboundHost(region)}: SES can't receive mail in it`, action);
  if (hasHost === undefined) return line('attention', subject, `${region} is not in the table of ${receivingRegions.asOf}, and DNS can't be asked`, action);
  return 'value' in activeRuleSet || known(caller) === undefined
    ? line('ok', subject, `${region} is newer than the table of ${receivingRegions.asOf}; DNS knows ${inboundHost(region)}`)
    : line('attention', subject, `${region} is not in the table of ${receivingRegions.asOf}, and SES doesn't answer: ${activeRuleSet.unknown}`, action);
};

/** Rules below which a deployment may soon lack room for its addresses. */
const fewRules = 20;

const checkRuleSet = ({ activeRuleSet, settings }: Facts): Line =>
  lineFor('receipt rule set', activeRuleSet, 'allow ses:DescribeActiveReceiptRuleSet', (active) => {
    const subject = 'receipt rule set';
    const ours = `its rules, ${receiptRuleName(settings.stackName, '*')}`;
    if (active === undefined) return line('ok', subject, `none is active; the deployment activates ${sharedRuleSet} and adds ${ours}`);
    const isOurs = isRuleOf(settings.stackName);
    const room = receiptRuleQuotas.rules - active.rules.filter((name) => !isOurs(name)).length;
    const found = `${active.name} is active and stays so; the deployment adds ${ours}, before the others, and changes no others, which leave room for ${room}`;
    if (room < 1) return line('fail', subject, `${active.name} is active and has as many rules of others as SES allows`, 'remove rules that nobody needs, or use another region');
    return room < fewRules
      ? line('attention', subject, found, `${room * receiptRuleQuotas.recipientsPerRule} addresses have room; above, rules list whole domains. Remove rules that nobody needs`)
      : line('ok', subject, found);
  });

const checkProduction = ({ sending }: Facts): Line => lineFor('SES production access', sending, 'allow ses:GetAccount', (status) => {
  if (status.sending_enabled === false) {
    return line('attention', 'SES production access', 'AWS has stopped this account from sending', 'read the mail of AWS, and the SES console\'s "Account dashboard"');
  }
  return status.production_access_enabled
    ? line('ok', 'SES production access', `granted; the account's standing is ${status.enforcement_status ?? 'unknown'}`)
    : line('attention', 'SES production access', 'the SES sandbox: mail goes to verified addresses only; receiving is not limited',
      'ask for production access on the console\'s overview after the deployment (AWS answers in about a day)');
});

const checkRates = ({ sending, settings }: Facts): Line => lineFor('SES rates', sending, 'allow ses:GetAccount', ({ quota }) => {
  const { max_24h_send: perDay, max_send_rate_per_second: perSecond } = quota ?? {};
  if (perDay === undefined) return line('unknown', 'SES rates', 'SES tells no quota', 'look at the SES console\'s "Account dashboard"');
  const found = `${perDay < 0 ? 'no limit' : `${perDay.toLocaleString('en-US')} recipients`} a day, ${perSecond ?? 'unknown'} a second`;
  return perDay >= 0 && perDay < settings.maxRecipientsPerDay
    ? line('attention', 'SES rates', `${found}; one account alone may send to ${settings.maxRecipientsPerDay.toLocaleString('en-US')} a day`,
      `ask for more (postrider-admin change-requests CreateChangeRequest), or pass -c maxRecipientsPerDay=${Math.max(1, Math.floor(perDay / 4))}`)
    : line('ok', 'SES rates', found);
});

/** The price of outgoing mail in a plan. */
const priceOf = (name: keyof typeof sesPlans): string => {
  const { monthly, mailOut } = sesPlans[name];
  return `${monthly > 0 ? `${monthly} USD a month and ` : ''}${mailOut.toFixed(2)} USD for 1,000 messages out`;
};

const isKnownPlan = (name: string): name is keyof typeof sesPlans => Object.hasOwn(sesPlans, name);

const checkPricePlan = ({ pricePlan }: Facts): Line => lineFor('SES price plan', pricePlan, 'allow ses:GetAccount', (plan) => {
  if (plan === undefined) return line('unknown', 'SES price plan', 'SES names none', 'look at aws sesv2 get-account; docs/cost.md has the plans');
  const { current, next = current } = plan;
  const found = `${current}${isKnownPlan(current) ? `: ${priceOf(current)}` : ''}${next === current ? '' : `, from next month ${next}`}`;
  return next === 'NONE'
    ? line('ok', 'SES price plan', found)
    : line('attention', 'SES price plan', `${found}; nothing of the deployment needs a plan, and without one it is ${priceOf('NONE')}`,
      'aws sesv2 put-account-pricing-attributes --plan NONE (docs/cost.md)');
});

const checkInvitations = ({ settings: { domain, signInMailFrom }, identity, sending }: Facts): Line => {
  if (signInMailFrom === undefined) {
    return line('attention', 'invitations', `Cognito's own sender: ${cognitoMailsPerDay} mails a day for an AWS account, forgotten passwords included`,
      `once SES has verified ${domain} and granted production access, deploy again with ${settingsForSes(domain)}`);
  }
  return lineFor('invitations', identity, 'allow ses:GetEmailIdentity', (found) => {
    const refusal = senderRefusal(signInMailFrom, found?.verification_status);
    if (refusal) return line('fail', 'invitations', refusal.reason, refusal.nextStep);
    return known(sending)?.production_access_enabled === false
      ? line('attention', 'invitations', `by SES from ${signInMailFrom}; in the SES sandbox they reach verified addresses only, and others get none`,
        'deploy without signInMailFrom until SES grants production access')
      : line('ok', 'invitations', `by SES from ${signInMailFrom}`);
  });
};

/** Checks whether mail can be received and sent. */
export const checkMail = (facts: Facts): Line[] =>
  [checkRegion(facts), checkRuleSet(facts), checkProduction(facts), checkRates(facts), checkPricePlan(facts), checkInvitations(facts)];
