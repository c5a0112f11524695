import type { Bounce, BounceSender } from '../../core/aws/ses/ses-bounce-sender.ts';
import { MailRefused, MailSenderUnavailable } from '../../core/aws/ses/ses-mail-sender.ts';
import type { SendFault } from './memory-mail-sender.ts';

/**
 * A {@link BounceSender} in memory: `sent` has the bounces that were sent. `faults` are the results of the next calls.
 */
export const memoryBounceSender = (): BounceSender & { readonly sent: Bounce[]; readonly faults: SendFault[] } => {
  const sent: Bounce[] = [];
  const faults: SendFault[] = [];
  return {
    sent,
    faults,
    async bounce(bounce) {
      const fault = faults.shift() ?? 'none';
      if (fault === 'throttled') throw new MailSenderUnavailable('Throttling', 'rate');
      if (fault === 'refused') throw new MailRefused('Email address is not verified.');
      if (fault === 'request lost') throw new Error('timeout');
      sent.push(bounce);
      if (fault === 'response lost') throw new Error('connection reset');
    },
  };
};
