import { MailRefused, MailSenderUnavailable, type Mail, type MailSender } from '../../core/aws/ses/mail-sender.ts';

/**
 * The result of a send: success; the message is sent but the answer is lost; neither a message nor an answer;
 * throttled; refused.
 */
export type SendTrouble = 'none' | 'answer lost' | 'no answer' | 'throttled' | 'refused';

/** A {@link MailSender} in memory: `sent` has the messages that were sent. */
export type MemoryMailSender = MailSender & {
  readonly sent: (Mail & { readonly id: string })[];
  /** The results of the next sends, in order; the ones after them succeed. */
  readonly troubles: SendTrouble[];
};

export const memoryMailSender = (): MemoryMailSender => {
  const sent: (Mail & { readonly id: string })[] = [];
  const troubles: SendTrouble[] = [];
  return {
    sent,
    troubles,
    async send(mail) {
      const trouble = troubles.shift() ?? 'none';
      if (trouble === 'throttled') throw new MailSenderUnavailable('TooManyRequestsException');
      if (trouble === 'refused') throw new MailRefused('Email address is not verified.');
      if (trouble === 'no answer') throw new Error('timeout');
      const id = `0100${sent.length}`;
      sent.push({ ...mail, id });
      if (trouble === 'answer lost') throw new Error('connection reset');
      return id;
    },
  };
};
