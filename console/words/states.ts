/** The look of a state: Cloudscape's types of a status indicator. */
export type StateLook = 'success' | 'pending' | 'warning' | 'error' | 'stopped' | 'info' | 'in-progress';

type StateWords = {
  readonly label: string;
  readonly look: StateLook;
  /** One sentence that says what the state means. */
  readonly sentence: string;
  /** The next step of a person; absent when nothing is to be done. */
  readonly nextStep?: string;
};

/** The words of every state that the API has, by its kind and its value. */
const states = {
  domainVerification: {
    PENDING: {
      label: 'Waiting for DNS', look: 'pending', sentence: 'SES has not seen the domain’s records yet.',
      nextStep: 'Add the records at your DNS provider. SES looks again within minutes.',
    },
    SUCCESS: { label: 'Verified', look: 'success', sentence: 'SES has seen the domain’s records.' },
    FAILED: {
      label: 'Verification failed', look: 'error', sentence: 'SES gave up looking for the records after three days.',
      nextStep: 'Correct the records, then verify again.',
    },
  },
  dnsApply: {
    NOT_APPLIED: { label: 'Not applied', look: 'stopped', sentence: 'The records were not applied from here.' },
    APPLIED: { label: 'Applied', look: 'success', sentence: 'The records were written to Route 53.' },
    APPLY_FAILED: {
      label: 'Applying failed', look: 'error', sentence: 'Route 53 refused the records.', nextStep: 'Read the error, then apply again.',
    },
  },
  emailIdentity: {
    VERIFICATION_STATUS_PENDING: {
      label: 'Waiting for the click', look: 'pending', sentence: 'The address has not confirmed the mail that AWS sent it.',
      nextStep: 'Open the link in that mail, or send it again.',
    },
    VERIFICATION_STATUS_SUCCESS: { label: 'Verified', look: 'success', sentence: 'Mail can be sent from this address.' },
    VERIFICATION_STATUS_FAILED: {
      label: 'Verification failed', look: 'error', sentence: 'The address was not confirmed in time.', nextStep: 'Send the mail again.',
    },
  },
  accountRemoval: {
    ACCESS: { label: 'Closing access', look: 'in-progress', sentence: 'Members and addresses are closed.' },
    MAIL: { label: 'Removing mail', look: 'in-progress', sentence: 'Mailboxes and Emails are removed.' },
    OBJECTS: { label: 'Removing messages', look: 'in-progress', sentence: 'The stored messages are removed.' },
    ADDRESSES: { label: 'Releasing addresses', look: 'in-progress', sentence: 'The addresses can soon be used again.' },
  },
  user: {
    active: { label: 'Active', look: 'success', sentence: 'The person can sign in.' },
    inactive: { label: 'Deactivated', look: 'stopped', sentence: 'The person can’t sign in.', nextStep: 'Activate the user to let them in.' },
    deleted: { label: 'Deleted', look: 'error', sentence: 'The user was deleted.' },
  },
  alias: {
    active: { label: 'Receives', look: 'success', sentence: 'Mail to this address is delivered.' },
    inactive: { label: 'Rejects', look: 'stopped', sentence: 'Mail to this address is rejected.' },
  },
  changeRequest: {
    ACCEPTED: { label: 'Accepted', look: 'pending', sentence: 'The request waits to be sent to AWS.' },
    SUBMITTED: { label: 'Submitted', look: 'in-progress', sentence: 'AWS has the request.' },
    IN_PROGRESS: { label: 'In progress', look: 'in-progress', sentence: 'AWS works on the request.' },
    WAITING_ON_PROVIDER: { label: 'Waiting for AWS', look: 'in-progress', sentence: 'AWS reviews the request, usually within a day.' },
    ACTION_REQUIRED: {
      label: 'Asks for information', look: 'warning', sentence: 'AWS wants to know more.', nextStep: 'Provide what is asked below.',
    },
    SUCCEEDED: { label: 'Granted', look: 'success', sentence: 'AWS granted the request.' },
    REJECTED: { label: 'Rejected', look: 'error', sentence: 'AWS rejected the request.', nextStep: 'Read the reason and make a new request.' },
    FAILED: { label: 'Failed', look: 'error', sentence: 'The request could not be made.', nextStep: 'Make the request again.' },
    CANCELED: { label: 'Canceled', look: 'stopped', sentence: 'The request was canceled.' },
  },
  supportCase: {
    active: { label: 'Support has access', look: 'warning', sentence: 'Support has the access that you allowed, until it ends by itself or you end it.' },
    lapsed: { label: 'Open, access has ended', look: 'stopped', sentence: 'The time of access is over.', nextStep: 'Extend it, or close the case.' },
    withoutTiers: {
      label: 'Open, without access', look: 'stopped', sentence: 'The case gives no access, because nothing is allowed.',
      nextStep: 'Choose what support may do, or close the case.',
    },
    closed: { label: 'Closed', look: 'stopped', sentence: 'Support has no access by this case.' },
  },
  suppression: {
    NONE: { label: 'Not suppressed', look: 'success', sentence: 'Mail is sent to this recipient.' },
    SOFT: { label: 'Paused', look: 'warning', sentence: 'Mail bounced several times; sending is tried again later.' },
    HARD: {
      label: 'Suppressed', look: 'error', sentence: 'The address does not exist.', nextStep: 'Clear it when the address works again.',
    },
    PERMANENT: {
      label: 'Suppressed', look: 'error', sentence: 'The recipient complained.', nextStep: 'Clear it only when the recipient asks for mail.',
    },
  },
  feedback: {
    BOUNCE: { label: 'Bounce', look: 'error', sentence: 'The recipient’s server returned the message.' },
    COMPLAINT: { label: 'Complaint', look: 'warning', sentence: 'The recipient marked the message as spam.' },
  },
  delivery: {
    ACCEPTED: { label: 'Waiting', look: 'pending', sentence: 'Postrider has the message and has not passed it to SES yet.' },
    SENT: {
      label: 'Sent', look: 'in-progress', sentence: 'SES has accepted the message. The recipient’s server has not answered yet.',
      nextStep: 'Wait. Most servers answer within a minute.',
    },
    DELIVERED: {
      label: 'Delivered', look: 'success', sentence: 'The recipient’s server has taken the message.',
      nextStep: 'If they don’t see it, ask them to look into the spam folder, or ask the admin of their server with the answer below.',
    },
    DELAYED: {
      label: 'Delayed', look: 'warning', sentence: 'The recipient’s server does not take the message for now. SES tries again for some hours.',
      nextStep: 'Wait, or read the answer of the server.',
    },
    BOUNCED: {
      label: 'Bounced', look: 'error', sentence: 'The recipient’s server returned the message for good. No further mail is sent to the address.',
      nextStep: 'Check the address with the recipient. When it works again, clear it under Suppression.',
    },
    SOFT_BOUNCED: {
      label: 'Bounced for now', look: 'error', sentence: 'The recipient’s server did not take the message, and may take another one later.',
      nextStep: 'Read the answer of the server. Send the message again later.',
    },
    COMPLAINED: {
      label: 'Complaint', look: 'warning', sentence: 'The recipient marked the message as spam. No further mail of its kind is sent to them.',
      nextStep: 'Clear it under Suppression only when the recipient asks for mail.',
    },
    WITHHELD: {
      label: 'Suppressed', look: 'error', sentence: 'The recipient bounced or complained before, so the message was not sent to them.',
      nextStep: 'Check the address with the recipient, clear it under Suppression, and send the message again.',
    },
    REFUSED: {
      label: 'Refused', look: 'error', sentence: 'The message was not sent to this recipient. The reason is below.', nextStep: 'Correct what the reason says, and send the message again.',
    },
    UNCONFIRMED: {
      label: 'Not known', look: 'warning', sentence: 'SES did not say whether it accepted the message, and it is not sent again.',
      nextStep: 'Ask the recipient whether it arrived, before it is sent again.',
    },
    CANCELED: { label: 'Canceled', look: 'stopped', sentence: 'The sender withdrew the message before it was sent.' },
  },
  setupTest: {
    QUEUED: { label: 'Waiting', look: 'pending', sentence: 'The message waits to be sent.' },
    SENT: { label: 'Sent', look: 'in-progress', sentence: 'SES has accepted the message.' },
    DELIVERED: { label: 'Delivered', look: 'success', sentence: 'The recipient’s server has taken the message.' },
    BOUNCED: { label: 'Bounced', look: 'error', sentence: 'The recipient’s server returned the message.' },
    COMPLAINED: { label: 'Complaint', look: 'warning', sentence: 'The recipient marked the message as spam.' },
    FAILED: { label: 'Failed', look: 'error', sentence: 'The message was not sent.' },
  },
  severity: {
    INFO: { label: 'Note', look: 'info', sentence: 'For your information.' },
    WARNING: { label: 'Warning', look: 'warning', sentence: 'This needs attention soon.' },
    CRITICAL: { label: 'Critical', look: 'error', sentence: 'This stops mail.' },
  },
  outcome: {
    success: { label: 'Done', look: 'success', sentence: 'The call succeeded.' },
    failure: { label: 'Failed', look: 'error', sentence: 'The call failed and changed nothing.' },
  },
  dnsRecord: {
    valid: { label: 'Found', look: 'success', sentence: 'DNS has the record.' },
    different: { label: 'Differs', look: 'error', sentence: 'DNS has another value.', nextStep: 'Replace the value.' },
    absent: { label: 'Missing', look: 'pending', sentence: 'DNS does not have the record yet.', nextStep: 'Add the record.' },
  },
  yesNo: {
    yes: { label: 'Yes', look: 'success', sentence: 'This is so.' },
    no: { label: 'No', look: 'stopped', sentence: 'This is not so.' },
  },
} as const satisfies { readonly [kind: string]: { readonly [state: string]: StateWords } };

export type StateKind = keyof typeof states;

/** The words of a state; undefined for a state that the console does not know. */
export const stateWords = (kind: StateKind, state: string): StateWords | undefined =>
  (states[kind] as { readonly [state: string]: StateWords })[state];
