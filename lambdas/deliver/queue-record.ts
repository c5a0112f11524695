import { parseLinkRequest, type LinkRequest } from '../../core/directory/forwarding/link-request.ts';
import { parseStoppedDelivery, type StoppedDelivery } from '../../core/mail/delivery/stopped-delivery.ts';
import { parseBounceTask, type BounceTask } from './bounces/bounce-task.ts';
import { parsePostponedMail, type PostponedMail } from './bounces/postponed-mail.ts';
import { parseReceivedMail, type ReceivedMail } from './received/ses-notification.ts';

/**
 * A record of the inbound queue. `received` is SES's notification of a message, and `setup` one by which SES tests the
 * topic. The Lambda itself sends a message that waits for full accounts, and a bounce. An admin sends `stop`
 * (stop-delivery.ts), and who changes a forwarding requests the links for its addresses.
 */
export type QueueRecord =
  | { readonly kind: 'received'; readonly mail: ReceivedMail }
  | { readonly kind: 'postponed'; readonly mail: PostponedMail }
  | { readonly kind: 'bounce'; readonly bounce: BounceTask }
  | { readonly kind: 'stop'; readonly stop: StoppedDelivery }
  | { readonly kind: 'forwarding-links'; readonly links: LinkRequest }
  | { readonly kind: 'setup' };

type Content = { readonly kind?: unknown; readonly bounce?: unknown; readonly postponed?: unknown; readonly stop?: unknown; readonly links?: unknown };

/**
 * Parses the body of a queue record.
 * @throws Error for any other content: the record then ends in the dead-letter queue, so that nothing is dropped
 * silently.
 */
export const parseQueueRecord = (body: string): QueueRecord => {
  const content: Content = JSON.parse(body);
  switch (content.kind) {
    case 'bounce':
      return { kind: 'bounce', bounce: parseBounceTask(content.bounce) };
    case 'postponed':
      return { kind: 'postponed', mail: parsePostponedMail(content.postponed) };
    case 'stop':
      return { kind: 'stop', stop: parseStoppedDelivery(content.stop) };
    case 'forwarding-links':
      return { kind: 'forwarding-links', links: parseLinkRequest(content.links) };
    default: {
      const mail = parseReceivedMail(content);
      return mail ? { kind: 'received', mail } : { kind: 'setup' };
    }
  }
};
