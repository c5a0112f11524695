import { MailRefused, MailSenderUnavailable, type Mail, type MailSender } from '../../core/aws/ses/ses-mail-sender.ts';

/**
 * The result of a send: success; the message is sent but the response is lost; the request is lost, so that nothing is
 * sent; too many messages in this second; the daily quota is reached; not accepted now for another reason; refused.
 */
export type SendFault = 'none' | 'response lost' | 'request lost' | 'throttled' | 'quota' | 'unavailable' | 'refused';

/** A {@link MailSender} in memory: `sent` has the messages that were sent. */
type MemoryMailSender = MailSender & {
  readonly sent: (Mail & { readonly id: string })[];
  /** The faults of the next sends, in order. Later sends succeed. */
  readonly faults: SendFault[];
};

export const memoryMailSender = (): MemoryMailSender => {
  const sent: (Mail & { readonly id: string })[] = [];
  const faults: SendFault[] = [];
  return {
    sent,
    faults,
    async send(mail) {
      const fault = faults.shift() ?? 'none';
      if (fault === 'throttled') throw new MailSenderUnavailable('TooManyRequestsException', 'rate');
      if (fault === 'quota') throw new MailSenderUnavailable('TooManyRequestsException', 'closed');
      if (fault === 'unavailable') throw new MailSenderUnavailable('NotFoundException', 'mail');
      if (fault === 'refused') throw new MailRefused('Email address is not verified.');
      if (fault === 'request lost') throw new Error('timeout');
      const id = `0100${sent.length}`;
      sent.push({ ...mail, id });
      if (fault === 'response lost') throw new Error('connection reset');
      return id;
    },
  };
};
