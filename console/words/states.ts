import { deliveryWords, incomingWords, outgoingWords, receivedWords } from '../../contract/words/mail-words.ts';
import { error, info, inProgress, pending, stopped, success, warning, type StateWords } from '../../contract/words/state-words.ts';

/** The words of every state that the console shows, by its kind and its value. */
const states = {
  domainVerification: { PENDING: pending('Waiting for DNS'), SUCCESS: success('Verified'), FAILED: error('Verification failed') },
  emailIdentity: {
    VERIFICATION_STATUS_PENDING: pending(
      'Verification pending',
      'The address has not confirmed the mail that AWS sent it.',
      'Open the link in that mail, or send it again.',
    ),
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
    NOT_INVITED: warning(
      'Can’t sign in yet',
      'Nothing is mailed to an address of your own domains, so nobody knows a password of this person.',
      'Reset the password: it is shown to you, or mailed to a private address.',
    ),
    INVITED: pending('Invited', 'The person has a temporary password, and has not signed in with it.'),
    INVITATION_EXPIRED: warning(
      'Invitation expired',
      'The person did not sign in while the temporary password was valid.',
      'Send the invitation again, or reset the password.',
    ),
    ACTIVE: success('Active'),
    DEACTIVATED: stopped('Deactivated'),
    DELETED: error('Deleted'),
  },
  alias: { active: success('Receives'), inactive: stopped('Rejects') },
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
    withoutTiers: stopped('Open, without access', 'The case gives no access, because nothing is allowed.', 'Choose what support may do, or close the case.'),
    closed: stopped('Closed', 'Support has no access by this case.'),
  },
  suppression: {
    NONE: success('Not suppressed', 'Mail is sent to this recipient.'),
    SOFT: warning('Paused', 'Mail bounced several times; sending is tried again later.'),
    HARD: error('Suppressed', 'The address does not exist.', 'Clear it when the address works again.'),
    PERMANENT: error('Suppressed', 'The recipient complained.', 'Clear it only when the recipient asks for mail.'),
  },
  feedback: { BOUNCE: error('Bounce'), COMPLAINT: warning('Complaint') },
  delivery: deliveryWords,
  received: receivedWords,
  incoming: incomingWords,
  outgoing: outgoingWords,
  setupTest: {
    QUEUED: pending('Waiting'),
    SENT: inProgress('Sent'),
    DELIVERED: success('Delivered'),
    BOUNCED: error('Bounced'),
    COMPLAINED: warning('Complaint'),
    FAILED: error('Failed'),
  },
  severity: { INFO: info('Note'), WARNING: warning('Warning'), CRITICAL: error('Critical') },
  outcome: { success: success('Done'), failure: error('Failed') },
  dnsRecord: { valid: success('Found'), different: error('Differs'), absent: pending('Missing') },
} as const satisfies { readonly [kind: string]: { readonly [state: string]: StateWords } };

export type StateKind = keyof typeof states;

/** The words of a state; undefined for a state that the console does not know. */
export const stateWords = (kind: StateKind, state: string): StateWords | undefined => (states[kind] as { readonly [state: string]: StateWords })[state];

/** The states of a kind, for a choice. */
export const stateOptions = (kind: StateKind): readonly { readonly value: string; readonly label: string }[] =>
  Object.entries<StateWords>(states[kind]).map(([value, { label }]) => ({ value, label }));

/** The looks by the attention that they need, the most first. */
const looks: readonly StateWords['look'][] = ['error', 'warning', 'in-progress', 'pending', 'stopped', 'success', 'info'];

/** The rank of a state in a list: states that need attention precede the others. */
export const rankOf = (kind: StateKind, state: string): number => looks.indexOf(stateWords(kind, state)?.look ?? 'info');
