import { DescribeActiveReceiptRuleSetCommand, type ReceiptRule, type SESClient } from '@aws-sdk/client-ses';
import { localPartOf } from '../../../../contract/values/mail-address.ts';
import { domainOf } from '../message/mail-addresses.ts';

/** The name of the active receipt rule set, and its enabled rules in order. Undefined when no set is active. */
export const activeRuleSet = async (ses: SESClient): Promise<{ readonly name: string; readonly rules: readonly ReceiptRule[] }> => {
  const { Metadata, Rules } = await ses.send(new DescribeActiveReceiptRuleSetCommand());
  return { name: Metadata?.Name ?? '', rules: (Rules ?? []).filter((rule) => rule.Enabled) };
};

const withoutLabel = (address: string): string => address.replace(/\+[^@]*(?=@)/, '');

/**
 * Whether a rule's recipient conditions match an address: `user@example.com` (labels included), `example.com` (its
 * addresses, not those of subdomains), `.example.com` (those of all subdomains). A rule without conditions matches
 * every address. Domains are compared without regard to case.
 * @param comparesCase whether local parts are compared with regard to case.
 */
export const ruleMatches = (rule: Pick<ReceiptRule, 'Recipients'>, address: string, comparesCase: boolean): boolean => {
  const conditions = rule.Recipients ?? [];
  const compared = (mailbox: string): string => `${comparesCase ? localPartOf(mailbox) : localPartOf(mailbox).toLowerCase()}@${domainOf(mailbox)}`;
  const [mailbox, domain] = [compared(address), domainOf(address)];
  return (
    conditions.length === 0 ||
    conditions.some((condition) => {
      if (condition.includes('@')) return [mailbox, withoutLabel(mailbox)].includes(compared(condition));
      return condition.startsWith('.') ? domain.endsWith(condition.toLowerCase()) : domain === condition.toLowerCase();
    })
  );
};

/** Whether a rule matches at least one address of a domain. */
export const ruleConcernsDomain = (rule: Pick<ReceiptRule, 'Recipients'>, domain: string): boolean =>
  ruleMatches(rule, `anybody@${domain}`, false) || (rule.Recipients ?? []).some((condition) => domainOf(condition) === domain);
