import { MailRefused, MailSenderUnavailable, type Mail, type MailSender } from '../../core/aws/ses/mail-sender.ts';

/** What befalls a send: it goes out; it goes out and the answer is lost; the provider never answers and nothing goes out; it throttles; it refuses. */
export type SendTrouble = 'none' | 'answer lost' | 'no answer' | 'throttled' | 'refused';

/** A {@link MailSender} in memory: `sent` is what went out. */
export type MemoryMailSender = MailSender & {
  readonly sent: (Mail & { readonly id: string })[];
  /** What befalls the next sends, in order; then nothing does. */
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
