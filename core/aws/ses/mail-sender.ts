import type { MessageClass } from '../../../contract/admin/mail-feedback.ts';

/** One message for up to 50 recipients. */
export type Mail = {
  readonly submission_id: string;
  /** Number of the part within the submission. */
  readonly part: number;
  /** The sender of the envelope. */
  readonly from: string;
  readonly recipients: readonly string[];
  /** The raw message (RFC 5322). */
  readonly message: Uint8Array;
  readonly message_class: MessageClass;
  readonly identity_id: string;
};

/** Sends mail in one attempt, because a second attempt could send it twice. Adapter: `ses-mail-sender.ts`. */
export type MailSender = {
  /**
   * Sends a mail.
   * @returns the provider's id of the message.
   * @throws MailRefused when the provider refuses the mail permanently; MailSenderUnavailable when the provider
   * certainly did not accept it now. After any other error the outcome is unknown.
   */
  send(mail: Mail): Promise<string>;
};

/**
 * Thrown when the provider refuses a mail permanently. `message` is the provider's reason, which may contain an
 * address.
 */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
  /** The recipients that caused the refusal. The mail may be sent to the others. Empty: the mail is refused for all. */
  readonly recipients: readonly string[];
  /** The codes of the reply that the reason stands for (RFC 5321 §4.2, RFC 3463). */
  readonly code: '554 5.7.1' | '552 5.3.4';
  constructor(message: string, recipients: readonly string[] = [], code: MailRefused['code'] = '554 5.7.1') {
    super(message);
    this.recipients = recipients;
    this.code = code;
  }
}

/**
 * The reason why the provider did not accept a mail. `rate`: too many mails in this second. `closed`: the provider
 * currently accepts no mail, for example after the daily quota. `mail`: another reason, which may concern only this
 * mail.
 */
export type UnavailableReason = 'rate' | 'closed' | 'mail';

/** Thrown when the provider certainly did not accept the mail, but may accept it later. */
export class MailSenderUnavailable extends Error {
  override readonly name = 'MailSenderUnavailable';
  readonly reason: UnavailableReason;
  constructor(message: string, reason: UnavailableReason, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
