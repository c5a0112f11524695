import * as z from 'zod';
import { count, emailAddress, instant, list, nextPage, paging } from '../fields.ts';
import { message, method, service } from '../rpc.ts';
import { MessageClass } from './message-class.ts';

/** HARD: never again. SOFT: until reenable_after. Clearing lowers the level and keeps the counters. */
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

/** A complaint is PERMANENT for its message class. */
export const ComplaintSuppression = message('ComplaintSuppression', {
  level: z.enum(['NONE', 'PERMANENT']),
  count: count(),
  first_occurrence: instant().optional(),
  last_occurrence: instant().optional(),
  last_complaint_type: z.string(),
  last_identity_id: z.string(),
  reenable_after: instant().optional(),
});

export const ComplaintSuppressions = message('ComplaintSuppressions', {
  transactional: ComplaintSuppression,
  mailing_list: ComplaintSuppression,
  bulk: ComplaintSuppression,
});

/** What stands against sending to a recipient. */
export const Suppression = message('Suppression', {
  recipient: z.string(),
  bounce: BounceSuppression,
  complaints: ComplaintSuppressions,
});
export type Suppression = z.input<typeof Suppression>;

/** Silences §2 "Suppression". */
export const suppression = service({
  name: 'suppression',
  summary: 'Recipients that are not sent to, and why.',
  methods: {
    GetSuppression: method({
      summary: 'One recipient.',
      request: { recipient: emailAddress() },
      response: { suppression: Suppression },
      errors: ['not_found'],
    }),
    ListSuppressions: method({
      summary: 'Every recipient with a record.',
      request: paging({ max: 100, default: 50 }),
      response: { suppressions: list(Suppression), ...nextPage },
    }),
    ClearBounceSuppression: method({
      summary: 'Sends again after bounces. The counters stay.',
      changes: true,
      request: { recipient: emailAddress() },
      response: { suppression: Suppression },
      errors: ['not_found', 'aborted'],
    }),
    ClearComplaintSuppression: method({
      summary: 'Sends mail of a class again after a complaint. The counters stay.',
      changes: true,
      request: { recipient: emailAddress(), message_class: MessageClass },
      response: { suppression: Suppression },
      errors: ['not_found', 'aborted'],
    }),
  },
});
