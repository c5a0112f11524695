/** The look of a state: a type of Cloudscape's status indicator. */
export type StateLook = 'success' | 'pending' | 'warning' | 'error' | 'stopped' | 'info' | 'in-progress';

type StateWords = {
  readonly look: StateLook;
  readonly label: string;
  /** The meaning of the state, where a page explains it. */
  readonly sentence?: string | undefined;
  /** The next step for a person; absent when nothing needs to be done. */
  readonly nextStep?: string | undefined;
};

const withLook = (look: StateLook) => (label: string, sentence?: string, nextStep?: string): StateWords => ({ look, label, sentence, nextStep });
const [success, pending, inProgress] = [withLook('success'), withLook('pending'), withLook('in-progress')];
const [info, warning, error, stopped] = [withLook('info'), withLook('warning'), withLook('error'), withLook('stopped')];

/** The words of every state that the console shows, by its kind and its value. */
const states = {
  domainVerification: {
    PENDING: pending('Waiting for DNS'),
    SUCCESS: success('Verified'),
    FAILED: error('Verification failed'),
  },
  emailIdentity: {
    VERIFICATION_STATUS_PENDING: pending('Verification pending', 'The address has not confirmed the mail that AWS sent it.',
      'Open the link in that mail, or send it again.'),
    VERIFICATION_STATUS_SUCCESS: success('Verified', 'Mail can be sent from this address.'),
    VERIFICATION_STATUS_FAILED: error('Verification failed', 'The address was not confirmed in time.', 'Send the mail again.'),
  },
  accountRemoval: {
    ACCESS: inProgress('Closing access'),
    WAITING: stopped('Deleted'),
    RESTORING: inProgress('Being restored'),
    MAIL: inProgress('Removing mail'),
    OBJECTS: inProgress('Removing messages'),
    ADDRESSES: inProgress('Releasing addresses'),
  },
  user: {
    NOT_INVITED: warning('Can’t sign in yet', 'Nothing is mailed to an address of your own domains, so nobody knows a password of this person.',
      'Reset the password: it is shown to you, or mailed to a private address.'),
    INVITED: pending('Invited', 'The person has a temporary password, and has not signed in with it.'),
    INVITATION_EXPIRED: warning('Invitation expired', 'The person did not sign in while the temporary password was valid.',
      'Send the invitation again, or reset the password.'),
    ACTIVE: success('Active'),
    DEACTIVATED: stopped('Deactivated'),
    DELETED: error('Deleted'),
  },
  alias: {
    active: success('Receives'),
    inactive: stopped('Rejects'),
  },
  changeRequest: {
    ACCEPTED: pending('Accepted', 'The request waits to be sent to AWS.'),
    SUBMITTED: inProgress('Submitted', 'AWS has the request.'),
    IN_PROGRESS: inProgress('In progress', 'AWS works on the request.'),
    WAITING_ON_PROVIDER: inProgress('Waiting for AWS', 'AWS reviews the request, usually within a day.'),
    ACTION_REQUIRED: warning('Asks for information', 'AWS wants to know more.', 'Provide what is asked below.'),
    SUCCEEDED: success('Granted', 'AWS granted the request.'),
    REJECTED: error('Rejected', 'AWS rejected the request.', 'Read the reason and make a new request.'),
    FAILED: error('Failed', 'The request could not be made.', 'Make the request again.'),
    CANCELED: stopped('Canceled', 'The request was canceled.'),
  },
  supportCase: {
    active: warning('Support has access', 'Support has the access that you allowed, until it ends by itself or you end it.'),
    lapsed: stopped('Open, access has ended', 'The time of access is over.', 'Extend it, or close the case.'),
    withoutTiers: stopped('Open, without access', 'The case gives no access, because nothing is allowed.',
      'Choose what support may do, or close the case.'),
    closed: stopped('Closed', 'Support has no access by this case.'),
  },
  suppression: {
    NONE: success('Not suppressed', 'Mail is sent to this recipient.'),
    SOFT: warning('Paused', 'Mail bounced several times; sending is tried again later.'),
    HARD: error('Suppressed', 'The address does not exist.', 'Clear it when the address works again.'),
    PERMANENT: error('Suppressed', 'The recipient complained.', 'Clear it only when the recipient asks for mail.'),
  },
  feedback: {
    BOUNCE: error('Bounce'),
    COMPLAINT: warning('Complaint'),
  },
  delivery: {
    ACCEPTED: pending('Waiting', 'Postrider has the message and has not passed it to SES yet.'),
    SENT: inProgress('Sent', 'SES has accepted the message. The recipient’s server has not answered yet.',
      'Wait. Most servers answer within a minute.'),
    DELIVERED: success('Delivered', 'The recipient’s server has taken the message.',
      'If they don’t see it, ask them to look into the spam folder, or ask the admin of their server with the answer below.'),
    DELAYED: warning('Delayed', 'The recipient’s server does not take the message for now. SES tries again for some hours.',
      'Wait, or read the answer of the server.'),
    BOUNCED: error('Bounced', 'The recipient’s server returned the message for good. No further mail is sent to the address.',
      'Check the address with the recipient. When it works again, clear it under Suppression.'),
    SOFT_BOUNCED: error('Bounced for now', 'The recipient’s server did not take the message, and may take another one later.',
      'Read the answer of the server. Send the message again later.'),
    COMPLAINED: warning('Complaint', 'The recipient marked the message as spam. No further mail of its kind is sent to them.',
      'Clear it under Suppression only when the recipient asks for mail.'),
    WITHHELD: error('Suppressed', 'The recipient bounced or complained before, so the message was not sent to them.',
      'Check the address with the recipient, clear it under Suppression, and send the message again.'),
    REFUSED: error('Refused', 'The message was not sent to this recipient. The reason is below.',
      'Correct what the reason says, and send the message again.'),
    UNCONFIRMED: warning('Not known', 'SES did not say whether it accepted the message, and it is not sent again.',
      'Ask the recipient whether it arrived, before it is sent again.'),
    CANCELED: stopped('Canceled', 'The sender withdrew the message before it was sent.'),
  },
  setupTest: {
    QUEUED: pending('Waiting'),
    SENT: inProgress('Sent'),
    DELIVERED: success('Delivered'),
    BOUNCED: error('Bounced'),
    COMPLAINED: warning('Complaint'),
    FAILED: error('Failed'),
  },
  severity: {
    INFO: info('Note'),
    WARNING: warning('Warning'),
    CRITICAL: error('Critical'),
  },
  outcome: {
    success: success('Done'),
    failure: error('Failed'),
  },
  dnsRecord: {
    valid: success('Found'),
    different: error('Differs'),
    absent: pending('Missing'),
  },
} as const satisfies { readonly [kind: string]: { readonly [state: string]: StateWords } };

export type StateKind = keyof typeof states;

/** The words of a state; undefined for a state that the console does not know. */
export const stateWords = (kind: StateKind, state: string): StateWords | undefined =>
  (states[kind] as { readonly [state: string]: StateWords })[state];
