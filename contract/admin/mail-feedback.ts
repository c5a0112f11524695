import * as z from 'zod';
import { emailAddress, enumeration, instant, list, nextPage, paging, reference } from '../fields.ts';
import { message, method, service } from '../rpc.ts';

/** The kind of a mail. A recipient who complains about one class still receives the others. */
export const MessageClass = enumeration('MessageClass', ['TRANSACTIONAL', 'MAILING_LIST', 'BULK']);
export type MessageClass = z.output<typeof MessageClass>;

export const FeedbackType = enumeration('FeedbackType', ['BOUNCE', 'COMPLAINT']);

/** What SES reports about a bounce. */
export const BounceMetadata = message('BounceMetadata', {
  bounce_type: z.string(),
  bounce_sub_type: z.string(),
  diagnostic_code: z.string().optional(),
  status: z.string().optional(),
});

/** What SES reports about a complaint. */
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

const pageFields = paging({ max: 100, default: 50 });
const response = { feedback: list(MailFeedback), ...nextPage };

/** The service /mail-feedback (docs/specification.md#mail-feedback). Each list is newest first. */
export const mailFeedback = service({
  name: 'mail-feedback',
  summary: 'Bounces and complaints about sent mail.',
  methods: {
    ListRecentFeedback: method({
      summary: 'Lists feedback about all identities and recipients, newest first.',
      request: { type: FeedbackType.optional(), ...pageFields },
      response,
    }),
    ListFeedbackByIdentity: method({
      summary: 'Lists feedback about mail from one sending identity, newest first.',
      request: { identity_id: reference(), ...pageFields },
      response,
    }),
    ListFeedbackByRecipient: method({
      summary: 'Lists feedback about mail to one recipient, newest first.',
      request: { recipient: emailAddress(), ...pageFields },
      response,
    }),
  },
});
