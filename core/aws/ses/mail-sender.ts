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

/** Who hands our mail to the world. Adapter: `ses-mail-sender.ts`. It asks once: an answer that gets lost is never made up for by asking again. */
export type MailSender = {
  /**
   * @returns the provider's id of the message.
   * @throws MailRefused when the provider will never take it, SendLater when it surely did not take it now; anything else: it is not known.
   */
  send(mail: Mail): Promise<string>;
};

/** The provider does not take this message; `message` is its reason, which may name an address. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}

/** The provider took nothing: it is throttling, paused, or could not be reached. */
export class MailSenderUnavailable extends Error {
  override readonly name = 'MailSenderUnavailable';
}
