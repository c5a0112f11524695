import * as z from 'zod';
import { emailAddress, enumeration, instant, list, nextPage, paging, reference } from '../fields.ts';
import { message, method, service } from '../rpc.ts';
import { MessageClass } from './message-class.ts';

export const FeedbackType = enumeration('FeedbackType', ['BOUNCE', 'COMPLAINT']);

export const BounceMetadata = message('BounceMetadata', {
  bounce_type: z.string(),
  bounce_sub_type: z.string(),
  diagnostic_code: z.string().optional(),
  status: z.string().optional(),
});

export const ComplaintMetadata = message('ComplaintMetadata', {
  complaint_feedback_type: z.string().optional(),
  user_agent: z.string().optional(),
});

/** One bounce or complaint about one recipient. */
export const MailFeedback = message('MailFeedback', {
  id: z.string(),
  type: FeedbackType,
  message_class: MessageClass,
  recipient: z.string(),
  identity_id: z.string(),
  timestamp: instant(),
  account_id: z.string().optional(),
  user_id: z.string().optional(),
  submission_id: z.string().optional(),
  provider_message_id: z.string(),
  bounce_metadata: BounceMetadata.optional(),
  complaint_metadata: ComplaintMetadata.optional(),
});
export type MailFeedback = z.input<typeof MailFeedback>;

const page = paging({ max: 100, default: 50 });
const response = { feedback: list(MailFeedback), ...nextPage };

/** Spec: Mail feedback (/mail-feedback). Newest first. */
export const mailFeedback = service({
  name: 'mail-feedback',
  summary: 'Bounces and complaints.',
  methods: {
    ListRecentFeedback: method({
      summary: 'Over all identities and recipients.',
      request: { type: FeedbackType.optional(), ...page },
      response,
    }),
    ListFeedbackByIdentity: method({
      summary: 'About mail of one sending identity.',
      request: { identity_id: reference(), ...page },
      response,
    }),
    ListFeedbackByRecipient: method({
      summary: 'From one recipient.',
      request: { recipient: emailAddress(), ...page },
      response,
    }),
  },
});
