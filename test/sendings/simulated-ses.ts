import { MailRefused, MailSenderUnavailable, type Mail, type MailSender } from '../../core/aws/ses/sending/mail-sender.ts';
import { LambdaCrashed, takeTurn, type LambdaProcess } from '../fakes/faulty-table.ts';
import { sesEventBody } from '../support/send-pipeline.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** A mail that SES accepted from a Lambda, whose answer may have been lost on the way. */
export type AcceptedMail = {
  readonly id: string; readonly mail: Mail; readonly at: number; readonly lambda: LambdaProcess; readonly isAnswerLost: boolean;
};

/** The events that SES published about a recipient. */
export type PublishedFact = Pick<Mail, 'submission_id' | 'part'> & { readonly recipient: string; readonly kind: 'bounced' | 'delivered' };

/** A time in which SES takes no mail. */
export type Closure = { readonly from: number; readonly until: number; readonly reason: 'rate' | 'closed' };

type SesOptions = {
  readonly time: SimulatedTime;
  readonly random: () => number;
  readonly faultRate: number;
  readonly closures: readonly Closure[];
  /** Publishes the body of a record of the events queue. */
  readonly publish: (body: string, time: number) => void;
};

const iso = (time: number): string => new Date(time).toISOString();

/** A model of SES that accepts mail, loses answers, throttles and publishes events. */
export const simulatedSes = ({ time, random, faultRate, closures, publish }: SesOptions) => {
  const accepted: AcceptedMail[] = [];
  const published: PublishedFact[] = [];
  let calls = 0;

  const publishEvents = (id: string, { submission_id, part, recipients }: Mail, isLate: boolean): void => {
    const now = time.now();
    const details = { submission: submission_id, part, id, destination: recipients };
    // All events of some mails are later than the time after which a send without an event counts as not made.
    const earliest = isLate ? 16 * 60_000 : 500;
    const delay = () => earliest + random() * 30_000;
    publish(sesEventBody('Send', { send: {} }, details), now + delay());
    for (const recipient of recipients) {
      const at = now + delay();
      if (random() < 0.1) {
        published.push({ submission_id, part, recipient, kind: 'bounced' });
        publish(sesEventBody('Bounce', {
          bounce: {
            feedbackId: `${id}-${recipient}`, bounceType: 'Permanent', bounceSubType: 'General', timestamp: iso(at),
            bouncedRecipients: [{ emailAddress: recipient, status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' }],
          },
        }, details), at);
      } else if (random() < 0.5) {
        published.push({ submission_id, part, recipient, kind: 'delivered' });
        publish(sesEventBody('Delivery', { delivery: { timestamp: iso(at), recipients: [recipient], smtpResponse: '250 ok' } }, details), at);
      }
    }
  };

  const accept = (mail: Mail, lambda: LambdaProcess, isAnswerLost: boolean): string => {
    const id = `0100-${++calls}`;
    accepted.push({ id, mail, at: time.now(), lambda, isAnswerLost });
    publishEvents(id, mail, random() < (isAnswerLost ? 0.5 : faultRate));
    return id;
  };

  /** SES as one Lambda reaches it. */
  const sender = (lambda: LambdaProcess): MailSender => ({
    async send(mail) {
      await takeTurn(lambda, time.turn);
      const closed = closures.find(({ from, until }) => from <= time.now() && time.now() < until);
      if (closed) throw new MailSenderUnavailable('TooManyRequestsException', closed.reason);
      const unverified = mail.recipients.filter((recipient) => recipient.startsWith('unverified'));
      if (unverified.length > 0) throw new MailRefused('not verified', unverified);
      if (mail.recipients.some((recipient) => recipient.startsWith('refused'))) throw new MailRefused('refused');
      const fault = random() < faultRate ? Math.floor(random() * 5) : undefined;
      if (fault === 0) throw new Error('the connection was closed');
      if (fault === 1) {
        lambda.hasCrashed = true;
        throw new LambdaCrashed();
      }
      if (fault === 2) throw new MailSenderUnavailable('NotFoundException', 'mail');
      const id = accept(mail, lambda, fault === 3 || fault === 4);
      if (fault === 4) lambda.hasCrashed = true;
      if (fault === 3) throw new Error('the connection was closed');
      await takeTurn(lambda, time.turn);
      return id;
    },
  });
  return { accepted, published, sender };
};
