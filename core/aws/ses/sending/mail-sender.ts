import type { MessageClass } from '../../../../contract/admin/mail-feedback.ts';

/** One message for up to 50 recipients. */
export type Mail = {
  readonly submission_id: string;
  /** Number of the part within the submission. */
  readonly part: number;
  /** The envelope. */
  readonly from: string;
  readonly recipients: readonly string[];
  /** The raw message (RFC 5322). */
  readonly message: Uint8Array;
  readonly message_class: MessageClass;
  readonly identity_id: string;
};

/**
 * Sends mail. Adapter: `ses-mail-sender.ts`. It makes one attempt, because a second one after a lost response could
 * send the mail twice.
 */
export type MailSender = {
  /**
   * @returns the provider's id of the message.
   * @throws MailRefused when the provider refuses the mail for good; MailSenderUnavailable when the provider certainly
   * did not accept it now. After any other error the outcome is unknown.
   */
  send(mail: Mail): Promise<string>;
};

/** The provider refuses this mail for good. `message` is its reason, which may contain an address. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  /** The recipients that are the reason. The mail may be sent to the others. Empty: the mail is refused for all. */
  readonly recipients: readonly string[];
  constructor(message: string, recipients: readonly string[] = []) {
    super(message);
    this.recipients = recipients;
  }
}

/**
 * The reason why the provider did not accept a mail: `rate`: too many in this second; `closed`: it accepts no mail now,
 * for example after the daily quota; `mail`: another reason, which may concern this mail only.
 */
export type UnavailableReason = 'rate' | 'closed' | 'mail';

/** The provider certainly did not accept the mail, and may accept it later. */
export class MailSenderUnavailable extends Error {
  override readonly name = 'MailSenderUnavailable';
  readonly reason: UnavailableReason;
  constructor(message: string, reason: UnavailableReason, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
