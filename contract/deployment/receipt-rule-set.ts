/** SES's quotas for a rule set, which cannot be raised (Service quotas in Amazon SES, email receiving). */
export const receiptRuleQuotas = { rules: 200, recipientsPerRule: 100 } as const;

/**
 * What the receipt rules list: addresses, so that SES refuses others while their sender waits, or whole domains, so that
 * the deployment accepts mail for every address and bounces what is for none.
 */
export const receiptRuleRecipients = ['addresses', 'domains'] as const;
export type ReceiptRuleRecipients = (typeof receiptRuleRecipients)[number];

/**
 * The name of the rule set that a deployment activates where none is active. All deployments use it, so that two of
 * them that begin at once activate the same one.
 */
export const sharedRuleSet = 'postrider';

/**
 * The name of a rule of a deployment, at most 64 characters (SES, ReceiptRule). `*` as the number stands for all of
 * them in a policy.
 */
export const receiptRuleName = (deployment: string, number: number | '*'): string => `${deployment}-deliver-${number}`;

/** Whether a rule has a name of a deployment. */
export const isRuleOf = (deployment: string): ((name: string) => boolean) => {
  const names = new RegExp(`^${receiptRuleName(deployment, '*').replace('*', '\\d+')}$`);
  return (name) => names.test(name);
};

/** The end of the key of the object that SES stores to test its permissions when a receipt rule is created. */
export const setupObject = 'AMAZON_SES_SETUP_NOTIFICATION';
