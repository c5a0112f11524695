import type { MailFeedback } from '../../../../contract/admin/mail-feedback.ts';
import type { Suppression } from '../../../../contract/admin/suppression.ts';
import { mailFeedbackIn } from '../../../../core/sending/feedback/mail-feedback.ts';
import { adminApi } from '../../../support/admin-api.ts';

/** An admin API with a clock for the tests of /suppression, and with bounces and complaints of SES. */
export const suppressionFixture = async () => {
  const clock = { now: new Date('2026-11-21T08:38:00Z') };
  const api = await adminApi({ clock: () => clock.now });
  let count = 0;
  const report = (recipient: string, fields: Partial<MailFeedback>) =>
    mailFeedbackIn(api.sending).add(
      {
        id: `feedback_${count++}`,
        type: 'BOUNCE',
        message_class: 'TRANSACTIONAL',
        recipient,
        identity_id: 'dom_1',
        timestamp: clock.now.toISOString(),
        provider_message_id: 'm',
        ...fields,
      },
      clock.now,
    );
  return {
    api,
    clock,
    advanceClock: (seconds: number) => {
      clock.now = new Date(clock.now.getTime() + seconds * 1000);
    },
    bounce: (recipient: string, bounce_type = 'Permanent') =>
      report(recipient, { bounce_metadata: { bounce_type, bounce_sub_type: 'General', diagnostic_code: '550' } }),
    complaint: (recipient: string, message_class: MailFeedback['message_class']) =>
      report(recipient, { type: 'COMPLAINT', message_class, complaint_metadata: { complaint_feedback_type: 'abuse' } }),
    get: async (recipient: string) => (await api.ok('/suppression/GetSuppression', { recipient }))['suppression'] as Suppression,
  };
};
