import * as z from 'zod';
import { maxMessageIdLength } from '../deployment/sending.ts';
import { message, method, service } from '../rpc/rpc.ts';
import { domainName, emailAddress, enumeration, instant, list, nextPage, paging, reference, text, timestamp } from '../values/fields.ts';
import { ReceivedMessage, ReceivedOutcome } from './received-mail.ts';

/** The class of a mail. A recipient who complains about one class still receives the others. */
export const MessageClass = enumeration('MessageClass', ['TRANSACTIONAL', 'MAILING_LIST', 'BULK']);
export type MessageClass = z.output<typeof MessageClass>;

export const FeedbackType = enumeration('FeedbackType', ['BOUNCE', 'COMPLAINT']);

/** SES's report of a bounce. */
export const BounceMetadata = message('BounceMetadata', {
  bounce_type: z.string(),
  bounce_sub_type: z.string(),
  diagnostic_code: z.string().optional(),
  status: z.string().optional(),
});

/** SES's report of a complaint. */
export const ComplaintMetadata = message('ComplaintMetadata', { complaint_feedback_type: z.string().optional(), user_agent: z.string().optional() });

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

/** Whether a submission can still be canceled (RFC 8621 §7). */
export const UndoStatus = enumeration('UndoStatus', ['PENDING', 'FINAL', 'CANCELED']);

/**
 * The state of a message for one recipient, and the kind of an event about them. ACCEPTED: the deployment has the
 * message. SENT: SES accepted it. DELIVERED: the recipient's server accepted it. DELAYED: that server may accept it
 * later. BOUNCED: it was returned permanently. SOFT_BOUNCED: it was returned, but a later mail may be accepted.
 * COMPLAINED: the recipient reported it as spam. WITHHELD: the recipient is suppressed. REFUSED: it was not sent,
 * because SES or the deployment refused it. UNCONFIRMED: SES never confirmed whether it accepted it. CANCELED: its
 * sender canceled it.
 */
export const DeliveryState = enumeration('DeliveryState', [
  'ACCEPTED',
  'SENT',
  'DELIVERED',
  'DELAYED',
  'BOUNCED',
  'SOFT_BOUNCED',
  'COMPLAINED',
  'WITHHELD',
  'REFUSED',
  'UNCONFIRMED',
  'CANCELED',
]);
export type DeliveryState = z.output<typeof DeliveryState>;

/** An event about one recipient. */
export const SentMessageEvent = message('SentMessageEvent', {
  type: DeliveryState,
  timestamp: instant(),
  /** The reply of the recipient's server, or a text in the same form. */
  smtp_reply: z.string().optional(),
});

export const SentMessageRecipient = message('SentMessageRecipient', {
  address: z.string(),
  state: DeliveryState,
  /** The events, oldest first. */
  events: list(SentMessageEvent),
});

/** A submission without its content: its sender, its recipients, and the result. */
export const SentMessage = message('SentMessage', {
  submission_id: z.string(),
  /** The subject, shortened to 200 characters. Absent without one, and with the setting `recordSubjects=false`. */
  subject: z.string().optional(),
  /** The Message-ID that the client wrote, without brackets. */
  message_id: z.string().optional(),
  /** The ids that SES gave the message. Each is the local part of a Message-ID that recipients see. */
  provider_message_ids: list(z.string()),
  account_id: z.string().optional(),
  user_id: z.string().optional(),
  /** The envelope sender; empty for a message that must not be answered. */
  sender: z.string(),
  created_at: instant(),
  send_at: instant(),
  undo_status: UndoStatus,
  recipients: list(SentMessageRecipient),
});
export type SentMessage = z.input<typeof SentMessage>;

const pageFields = paging({ max: 100, default: 50 });
const response = { feedback: list(MailFeedback), ...nextPage };

/** The service /mail-feedback (docs/specification.md#mail-feedback). Each list is sorted newest first. */
export const mailFeedback = service({
  name: 'mail-feedback',
  summary: 'Sent and received mail: what became of a message, bounces and complaints.',
  methods: {
    ListRecentFeedback: method({
      summary: 'Lists feedback about all identities and recipients, newest first.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { type: FeedbackType.optional(), ...pageFields },
      response,
    }),
    ListFeedbackByIdentity: method({
      summary: 'Lists feedback about mail from one sending identity, newest first.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { identity_id: reference(), ...pageFields },
      response,
    }),
    ListFeedbackByRecipient: method({
      summary: 'Lists feedback about mail to one recipient, newest first.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { recipient: emailAddress(), ...pageFields },
      response,
    }),
    ListSentMessages: method({
      summary:
        'Lists sent messages and what became of each, newest first, with those that wait and those that were canceled. A page may have ' +
        'fewer messages than page_size although there is a next page.',
      roles: ['HELPDESK'],
      request: {
        /** The address of the sender or of a recipient. */
        address: emailAddress().optional(),
        /** The domain of the sender or of a recipient. */
        domain: domainName().optional(),
        /** The Message-ID of the client or of SES, with or without brackets, or SES's id. */
        message_id: text({ max: maxMessageIdLength }).optional(),
        submission_id: reference().optional(),
        /** A part of the subject, in any letter case. */
        subject_contains: text({ max: 200 }).optional(),
        /** Only messages with this state for at least one recipient. */
        state: DeliveryState.optional(),
        /** Only messages whose `send_at` is this time or later. */
        since: timestamp().optional(),
        /** Only messages whose `send_at` is before this time. */
        until: timestamp().optional(),
        ...paging({ max: 50, default: 20 }),
      },
      response: { messages: list(SentMessage), ...nextPage },
    }),
    ListReceivedMessages: method({
      summary:
        'Lists received messages and what became of each, newest first. A page may have fewer messages than page_size although ' +
        'there is a next page. Mail that receipt rules refuse is not recorded: accounts/FindAddress says why an address refuses mail.',
      roles: ['HELPDESK'],
      request: {
        /** The address of the sender (envelope or From) or of a recipient. An address also finds those with a detail. */
        address: emailAddress().optional(),
        /** The domain of the sender (envelope or From) or of a recipient. */
        domain: domainName().optional(),
        /** The Message-ID of the sender, with or without brackets. */
        message_id: text({ max: maxMessageIdLength }).optional(),
        /** A part of the subject, in any letter case. */
        subject_contains: text({ max: 200 }).optional(),
        /** Only messages with this outcome for at least one recipient. */
        outcome: ReceivedOutcome.optional(),
        /** Only messages that arrived at this time or later. */
        since: timestamp().optional(),
        /** Only messages that arrived before this time. */
        until: timestamp().optional(),
        ...paging({ max: 50, default: 20 }),
      },
      response: { messages: list(ReceivedMessage), ...nextPage },
    }),
    GetReceivedMessage: method({
      summary: 'Returns a received message with what happened to its Emails since then.',
      roles: ['HELPDESK'],
      request: { received_id: reference() },
      response: { message: ReceivedMessage },
      errors: ['not_found'],
    }),
  },
});
