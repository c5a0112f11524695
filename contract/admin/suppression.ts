import * as z from 'zod';
import { message, method, service } from '../rpc/rpc.ts';
import { count, emailAddress, instant, list, nextPage, paging } from '../values/fields.ts';
import { MessageClass } from './mail-feedback.ts';

/**
 * The suppression because of bounces. HARD: no mail is sent until an admin clears it. SOFT: no mail is sent until
 * reenable_after. Clearing lowers the level and keeps the counters.
 */
export const BounceSuppression = message('BounceSuppression', {
  level: z.enum(['NONE', 'SOFT', 'HARD']),
  count: count(),
  first_occurrence: instant().optional(),
  last_occurrence: instant().optional(),
  soft_bounce_count: count(),
  soft_bounce_window_start: instant().optional(),
  last_bounce_type: z.string(),
  last_bounce_sub_type: z.string(),
  last_diagnostic_code: z.string(),
  reenable_after: instant().optional(),
});

/**
 * The suppression because of complaints. After a complaint, mail of its message class is suppressed (PERMANENT) until
 * an admin clears it.
 */
export const ComplaintSuppression = message('ComplaintSuppression', {
  level: z.enum(['NONE', 'PERMANENT']),
  count: count(),
  first_occurrence: instant().optional(),
  last_occurrence: instant().optional(),
  last_complaint_type: z.string(),
  last_identity_id: z.string(),
  reenable_after: instant().optional(),
});

/** The complaint suppression of each message class. */
export const ComplaintSuppressions = message('ComplaintSuppressions', {
  transactional: ComplaintSuppression,
  mailing_list: ComplaintSuppression,
  bulk: ComplaintSuppression,
});

/** The bounces and complaints that suppress sending to a recipient. */
export const Suppression = message('Suppression', { recipient: z.string(), bounce: BounceSuppression, complaints: ComplaintSuppressions });
export type Suppression = z.input<typeof Suppression>;

/** The service /suppression (docs/specification.md#suppression). */
export const suppression = service({
  name: 'suppression',
  summary: 'Recipients that mail is not sent to, and why.',
  methods: {
    GetSuppression: method({
      summary: 'Returns the suppression record of one recipient.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { recipient: emailAddress() },
      response: { suppression: Suppression },
      errors: ['not_found'],
    }),
    ListSuppressions: method({
      summary: 'Lists the recipients that have a suppression record.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: paging({ max: 100, default: 50 }),
      response: { suppressions: list(Suppression), ...nextPage },
    }),
    ClearBounceSuppression: method({
      summary: 'Allows mail to the recipient again after bounces. The counters are kept.',
      changes: true,
      roles: ['HELPDESK'],
      request: { recipient: emailAddress() },
      response: { suppression: Suppression },
      errors: ['not_found', 'aborted'],
    }),
    ClearComplaintSuppression: method({
      summary: 'Allows mail of one class to the recipient again after a complaint. The counters are kept.',
      changes: true,
      roles: ['HELPDESK'],
      request: { recipient: emailAddress(), message_class: MessageClass },
      response: { suppression: Suppression },
      errors: ['not_found', 'aborted'],
    }),
  },
});
