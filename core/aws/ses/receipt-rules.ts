/** A receipt rule by which SES delivers mail to the deployment. */
export type ReceiptRule = {
  readonly name: string;
  /**
   * Domains, and addresses, which include all their details (`user+detail@`). SES refuses all other recipients with
   * 550.
   */
  readonly recipients: readonly string[];
  /** Whether the rule has the settings of a new rule. It may have been created with other settings. */
  readonly isCurrent: boolean;
};

/**
 * The receipt rules of the deployment in the active rule set, which several deployments and an operator may share: an
 * AWS account has one in a region. Rules of others are never changed. Adapter: `ses-receipt-rules.ts`. SES has no
 * conditional update, so a caller that changes rules must read them again afterwards.
 */
export type ReceiptRules = {
  /** The deployment's rules, and the number of rules of others. @throws Error when no rule set is active. */
  list(): Promise<{ readonly rules: readonly ReceiptRule[]; readonly foreignRules: number }>;
  /**
   * Creates a rule before all others, so that no rule of others stops mail.
   * @param recipients not empty, because SES applies a rule without recipients to every recipient.
   */
  create(name: string, recipients: readonly string[]): Promise<void>;
  /** Updates a rule. @param recipients not empty. */
  update(name: string, recipients: readonly string[]): Promise<void>;
  /** Removes a rule. A rule that does not exist is ignored. */
  remove(name: string): Promise<void>;
};
