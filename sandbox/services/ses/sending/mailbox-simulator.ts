import type { Outcome } from './sending-events.ts';

const smtpResponse = '250 2.6.0 Message received';

const scenarios: { readonly [name: string]: (recipient: string) => readonly Outcome[] } = {
  success: (recipient) => [{ type: 'Delivery', recipients: [recipient], smtpResponse }],
  bounce: (recipient) => [
    {
      type: 'Bounce',
      bounceType: 'Permanent',
      bounceSubType: 'General',
      recipients: [recipient],
      status: '5.1.1',
      diagnosticCode: `smtp; 550 5.1.1 As requested: user unknown <${recipient}>`,
    },
  ],
  complaint: (recipient) => [
    { type: 'Delivery', recipients: [recipient], smtpResponse },
    { type: 'Complaint', recipients: [recipient], subType: null, feedbackType: 'abuse' },
  ],
  ooto: (recipient) => [
    { type: 'Delivery', recipients: [recipient], smtpResponse },
    { type: 'Bounce', bounceType: 'Transient', bounceSubType: 'General', recipients: [recipient] },
  ],
  suppressionlist: (recipient) => [
    {
      type: 'Bounce',
      bounceType: 'Permanent',
      bounceSubType: 'Suppressed',
      recipients: [recipient],
      status: '5.1.1',
      diagnosticCode: 'Amazon SES has suppressed sending to this address because it has a recent history of bouncing as an invalid address.',
    },
  ],
};

/**
 * The outcomes of a message to the mailbox simulator, in order; undefined for any other address.
 * Labels are ignored: `bounce+7@simulator.amazonses.com`.
 */
export const simulatedOutcomes = (recipient: string): readonly Outcome[] | undefined => {
  const name = /^([a-z]+)(?:\+[^@]*)?@simulator\.amazonses\.com$/i.exec(recipient)?.[1]?.toLowerCase();
  return name !== undefined && Object.hasOwn(scenarios, name) ? scenarios[name]!(recipient) : undefined;
};
