import { domainOf } from '../../contract/values/mail-address.ts';
import { MailRefused } from '../../core/aws/ses/ses-mail-sender.ts';
import type { SystemMail, SystemMailSender } from '../../core/aws/ses/ses-system-mail.ts';

/**
 * A {@link SystemMailSender} in memory, for senders at one verified domain. `sent` has the mails in order. `send` throws
 * `fault.error` if it is set.
 */
export const memorySystemMail = (verifiedDomain = 'example.test'): SystemMailSender & { readonly sent: SystemMail[]; readonly fault: { error?: unknown } } => {
  const sent: SystemMail[] = [];
  const fault: { error?: unknown } = {};
  return {
    sent,
    fault,
    async send(mail) {
      if (fault.error !== undefined) throw fault.error;
      if (domainOf(mail.from) !== verifiedDomain) throw new MailRefused('the sender is not verified');
      sent.push(mail);
    },
  };
};
