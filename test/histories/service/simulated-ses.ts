import { MailRefused, MailSenderUnavailable, type Mail, type MailSender } from '../../../core/aws/ses/ses-mail-sender.ts';
import { LambdaCrashed, takeTurn } from '../../fakes/faulty-table.ts';
import { sesEventBody } from '../../support/send-pipeline.ts';
import type { SimulatedLambda } from './fault-injector.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** A mail that SES accepted from a Lambda. The response may have been lost. */
export type AcceptedMail = { readonly id: string; readonly mail: Mail; readonly at: number; readonly lambda: SimulatedLambda; readonly isAnswerLost: boolean };

/** A fact about a recipient that SES published. */
type PublishedFact = Pick<Mail, 'submission_id' | 'part'> & { readonly recipient: string; readonly kind: keyof typeof recipientEvents; readonly at: string };

/** SES's event for each kind of fact that the service records about a recipient. */
const recipientEvents = {
  delivered: (timestamp: string, recipient: string) => ['Delivery', { delivery: { timestamp, recipients: [recipient], smtpResponse: '250 ok' } }],
  delayed: (timestamp: string, recipient: string) => [
    'DeliveryDelay',
    { deliveryDelay: { timestamp, delayType: 'General', delayedRecipients: [{ emailAddress: recipient }] } },
  ],
  bounced: (timestamp: string, recipient: string) => bounce('Permanent', timestamp, recipient),
  softlyBounced: (timestamp: string, recipient: string) => bounce('Transient', timestamp, recipient),
  complained: (timestamp: string, recipient: string) => [
    'Complaint',
    { complaint: { feedbackId: `${recipient} ${timestamp}`, timestamp, complainedRecipients: [{ emailAddress: recipient }] } },
  ],
} as const satisfies Record<string, (timestamp: string, recipient: string) => readonly [string, object]>;

const bounce = (bounceType: string, timestamp: string, emailAddress: string) =>
  [
    'Bounce',
    { bounce: { feedbackId: `${emailAddress} ${timestamp}`, bounceType, bounceSubType: 'General', timestamp, bouncedRecipients: [{ emailAddress }] } },
  ] as const;

/** Kinds of facts about a recipient, repeated by their likelihood. A recipient may have several. */
const likelyFacts = ['delivered', 'delivered', 'delivered', 'delivered', 'delayed', 'delayed', 'bounced', 'softlyBounced', 'complained'] as const;

type SesOptions = {
  readonly time: SimulatedTime;
  readonly random: () => number;
  readonly faultRate: number;
  /** Publishes the body of a record of the events queue. */
  readonly publish: (body: string, delaySeconds: number) => void;
};

/** A model of SES that accepts mail, loses responses, throttles and publishes events. */
export const simulatedSes = ({ time, random, faultRate, publish }: SesOptions) => {
  const accepted: AcceptedMail[] = [];
  const published: PublishedFact[] = [];
  let calls = 0;
  let closure: { readonly until: number; readonly reason: 'rate' | 'closed' } | undefined;

  const publishEvents = (id: string, { submission_id, part, recipients }: Mail, isLate: boolean): void => {
    const details = { submission: submission_id, part, id, destination: recipients };
    // All events of some mails are later than the time after which a send without an event counts as not made.
    const delay = () => (isLate ? 16 * 60 : 0.5) + random() * 30;
    publish(sesEventBody('Send', { send: {} }, details), delay());
    for (const recipient of recipients) {
      while (random() < 0.5) {
        const kind = likelyFacts[Math.floor(random() * likelyFacts.length)]!;
        const at = new Date(time.now() + random() * 60_000).toISOString();
        published.push({ submission_id, part, recipient, kind, at });
        const [type, detail] = recipientEvents[kind](at, recipient);
        publish(sesEventBody(type, detail, details), delay());
      }
    }
  };

  const accept = (mail: Mail, lambda: SimulatedLambda, isAnswerLost: boolean): string => {
    const id = `0100-${++calls}`;
    accepted.push({ id, mail, at: time.now(), lambda, isAnswerLost });
    publishEvents(id, mail, random() < (isAnswerLost ? 0.5 : faultRate));
    return id;
  };

  /** SES as seen by one Lambda, with the Lambda's faults. */
  const sender = (lambda: SimulatedLambda): MailSender => ({
    async send(mail) {
      await takeTurn(lambda, time.turn);
      if (closure && time.now() < closure.until) throw new MailSenderUnavailable('TooManyRequestsException', closure.reason);
      const unverified = mail.recipients.filter((recipient) => recipient.startsWith('unverified'));
      if (unverified.length > 0) throw new MailRefused('not verified', unverified);
      if (mail.recipients.some((recipient) => recipient.startsWith('refused'))) throw new MailRefused('refused');
      const fault = random() < 3 * faultRate ? Math.floor(random() * 5) : undefined;
      if (fault !== undefined) lambda.faults++;
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
  return {
    accepted,
    published,
    sender,
    /** Makes SES refuse all mail for some time. */
    close(milliseconds: number, reason: 'rate' | 'closed'): void {
      closure = { until: time.now() + milliseconds, reason };
    },
  };
};
