/** Limits of mail, accounts and users that were deleted and can be restored (docs/specification.md#deleted-mail). */

/**
 * Days for which deleted mail, accounts and users can be restored: the default, and the limits of the setting
 * `deletedMailRetentionDays`.
 */
export const deletedMailRetention = {
  default: 14,
  /** With 0 days, nothing can be restored. */
  min: 0,
  /** A tombstone refuses late duplicates of a delivery, and must be kept longer than a destroyed Email. */
  max: 35,
} as const;

/** The name of the Mailbox for restored Emails whose former Mailboxes no longer exist. */
export const restoredMailboxName = 'Restored';

/** Maximum Emails that one call restores or purges by id. */
export const maxEmailsPerCall = 500;

/**
 * Maximum milliseconds that one call spends on restoring or purging Emails. API Gateway waits 30 seconds for the
 * response.
 */
export const deletedMailWorkTime = 18_000;
