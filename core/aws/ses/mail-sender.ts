import type { MessageClass } from '../../../contract/admin/mail-feedback.ts';

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
}

/** The provider did not accept the mail: it throttles, is paused, or could not be reached. */
export class MailSenderUnavailable extends Error {
  override readonly name = 'MailSenderUnavailable';
}
