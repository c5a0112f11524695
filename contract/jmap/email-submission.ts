import { maxRecipientsPerSubmission, maxSubmissionMessageBytes } from '../deployment/sending.ts';
import { capability } from './core.ts';
import { recordType } from './record.ts';

/**
 * EmailSubmission (RFC 8621 §7). `envelope`, `deliveryStatus` and `dsnBlobIds` are computed properties, stored with the
 * submission in the sending table.
 */
export const emailSubmission = recordType({
  name: 'EmailSubmission',
  capability: capability.submission,
  methods: ['get', 'changes', 'query', 'queryChanges', 'set'],
  permissions: { set: 'MAIL_SEND' },
  properties: {
    id: { type: 'Id', immutable: true, serverSet: true },
    identityId: { type: 'Id', immutable: true },
    emailId: { type: 'Id', immutable: true },
    threadId: { type: 'Id', immutable: true, serverSet: true },
    envelope: { type: { orNull: 'Object' }, immutable: true, default: null, computed: true },
    sendAt: { type: 'UTCDate', immutable: true, serverSet: true },
    undoStatus: { type: 'String', optional: true },
    deliveryStatus: { type: { orNull: { mapOf: 'Object' } }, serverSet: true, computed: true },
    dsnBlobIds: { type: { list: 'Id' }, serverSet: true, computed: true },
    mdnBlobIds: { type: { list: 'Id' }, serverSet: true, computed: true },
  },
  arguments: {
    set: { onSuccessUpdateEmail: { type: { orNull: { mapOf: 'Object' } } }, onSuccessDestroyEmail: { type: { orNull: { list: 'IdOrCreationId' } } } },
  },
  filters: {
    identityIds: { type: { list: 'Id' }, properties: ['identityId'] },
    emailIds: { type: { list: 'Id' }, properties: ['emailId'] },
    threadIds: { type: { list: 'Id' }, properties: ['threadId'] },
    undoStatus: { type: 'String' },
    before: { type: 'UTCDate', properties: ['sendAt'] },
    after: { type: 'UTCDate', properties: ['sendAt'] },
  },
  sorts: {
    emailId: {},
    threadId: {},
    /** The name that RFC 8621 §7.3 gives to the sort by `sendAt`. */
    sentAt: { properties: ['sendAt'] },
    sendAt: {},
  },
});

/** Values of `undoStatus`. A submission can be canceled while it is `pending`. */
export const undoStatuses = ['pending', 'final', 'canceled'] as const;
export type UndoStatus = (typeof undoStatuses)[number];

/** The properties that change with a recipient's delivery status. */
export const deliveryProperties = ['deliveryStatus', 'dsnBlobIds', 'mdnBlobIds'] as const;

/** Limits of EmailSubmissions. */
export const submissionLimits = {
  /** Maximum seconds from now to `sendAt` (RFC 8621 §1.3.2). */
  maxDelayedSend: 366 * 24 * 3600,
  /** Maximum recipients of one EmailSubmission. A submission with more is refused with tooManyRecipients. */
  maxRecipients: maxRecipientsPerSubmission,
  /** Maximum octets of a message in the form in which it is sent. A larger message is refused with tooLarge. */
  maxSizeMessage: maxSubmissionMessageBytes,
} as const;

/**
 * The SMTP extensions whose parameters an envelope may have, with the arguments of their EHLO keywords (RFC 8621
 * §1.3.2): FUTURERELEASE (RFC 4865) with HOLDFOR or HOLDUNTIL, and SIZE (RFC 1870). FUTURERELEASE lacks its second
 * argument, the latest date, which would change the session with every second.
 */
export const submissionExtensions = { FUTURERELEASE: [String(submissionLimits.maxDelayedSend)], SIZE: [String(submissionLimits.maxSizeMessage)] } as const;
