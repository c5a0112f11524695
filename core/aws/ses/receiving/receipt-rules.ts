/** A receipt rule by which SES delivers mail to us. */
export type ReceiptRule = {
  readonly name: string;
  /** Domains, and addresses with all their details (`user+detail@`). SES refuses every other recipient with 550. */
  readonly recipients: readonly string[];
  /**
   * Whether the rule equals a new rule. An existing rule may have been created with other settings of the deployment.
   */
  readonly isCurrent: boolean;
};

/**
 * The receipt rules of our rule set that we named. Adapter: `ses-receipt-rules.ts`. SES has no conditional update:
 * whoever changes rules reads them again afterwards.
 */
export type ReceiptRules = {
  list(): Promise<ReceiptRule[]>;
  /** @param recipients not empty: SES applies a rule without recipients to every recipient. */
  create(name: string, recipients: readonly string[]): Promise<void>;
  /** @param recipients not empty. */
  update(name: string, recipients: readonly string[]): Promise<void>;
  /** Does nothing if the rule does not exist. */
  remove(name: string): Promise<void>;
};

/** SES's quotas of a rule set, which cannot be raised (Service quotas in Amazon SES, email receiving). */
export const receiptRuleQuotas = { rules: 200, recipientsPerRule: 100 } as const;

/** The beginning of the names of our rules. */
export const receiptRulePrefix = 'deliver-';
