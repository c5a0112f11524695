import type { AddressKind, IncomingMail, OutgoingMail } from '../admin/accounts.ts';
import type { DeliveryState } from '../admin/mail-feedback.ts';
import type { ReceivedOutcome } from '../admin/received-mail.ts';
import { error, inProgress, pending, stopped, success, warning, type StateWords } from './state-words.ts';

/** The words for what became of a sent message for a recipient. */
export const deliveryWords: { readonly [State in DeliveryState]: StateWords } = {
  ACCEPTED: pending('Waiting', 'Postrider has the message and has not passed it to SES yet.'),
  SENT: inProgress('Sent', 'SES has accepted the message. The recipient’s server has not answered yet.', 'Wait. Most servers answer within a minute.'),
  DELIVERED: success(
    'Delivered',
    'The recipient’s server has taken the message.',
    'If they don’t see it, ask them to look into the spam folder, or ask the admin of their server with the answer below.',
  ),
  DELAYED: warning(
    'Delayed',
    'The recipient’s server does not take the message for now. SES tries again for some hours.',
    'Wait, or read the answer of the server.',
  ),
  BOUNCED: error(
    'Bounced',
    'The recipient’s server returned the message for good. No further mail is sent to the address.',
    'Check the address with the recipient. When it works again, clear it under Suppression.',
  ),
  SOFT_BOUNCED: error(
    'Bounced for now',
    'The recipient’s server did not take the message, and may take another one later.',
    'Read the answer of the server. Send the message again later.',
  ),
  COMPLAINED: warning(
    'Complaint',
    'The recipient marked the message as spam. No further mail of its kind is sent to them.',
    'Clear it under Suppression only when the recipient asks for mail.',
  ),
  WITHHELD: error(
    'Suppressed',
    'The recipient bounced or complained before, so the message was not sent to them.',
    'Check the address with the recipient, clear it under Suppression, and send the message again.',
  ),
  REFUSED: error('Refused', 'The message was not sent to this recipient. The reason is below.', 'Correct what the reason says, and send the message again.'),
  UNCONFIRMED: warning(
    'Not known',
    'SES did not say whether it accepted the message, and it is not sent again.',
    'Ask the recipient whether it arrived, before it is sent again.',
  ),
  CANCELED: stopped('Canceled', 'The sender withdrew the message before it was sent.'),
};

/** The words for what became of a received message for a recipient. */
export const receivedWords: { readonly [Outcome in ReceivedOutcome]: StateWords } = {
  DELIVERED: success('Delivered', 'The message is in the inbox of the account, or was until somebody moved it.'),
  JUNK: warning(
    'In Junk',
    'A check of SES failed, so the message was delivered into Junk.',
    'Look into Junk. If it is no spam, its sender has to repair SPF, DKIM or DMARC of their domain.',
  ),
  DUPLICATE: success('Delivered once', 'The account has the message by another of its addresses.'),
  GROUP: success('To a group', 'The address is that of a group. The members who got the message are listed with it.'),
  FORWARDED: success('Sent on', 'The message was sent on. What became of it outside stands among the sent mail. An account that keeps no copy can restore it.'),
  COPIED: success('Copied', 'An alias has the address as its bcc, so the message was copied to it.'),
  WAITS_FOR_ROOM: warning(
    'Waits for room',
    'The account is full. The message waits for 20 hours, and then it is bounced.',
    'Raise the limit of the account, or have its owner destroy mail.',
  ),
  BOUNCE_DUE: pending('Bounce due', 'The sender gets a bounce in a moment.'),
  BOUNCED: error(
    'Bounced',
    'The message was not delivered. Its sender got a bounce with the answer.',
    'Correct what the answer says, and have the sender send it again.',
  ),
  DROPPED: error('Dropped', 'The message was neither delivered nor bounced, for the reason given.', 'Have the sender send it again, once the reason is gone.'),
  IN_PROGRESS: inProgress(
    'In progress',
    'The delivery is not complete, and is tried again.',
    'Wait a few minutes. If it stays so, look at the problems of the deployment.',
  ),
  ACCOUNT_REMOVED: stopped('Account removed', 'The account that got the message was removed later.'),
  NOT_KNOWN: stopped('Not known', 'The account has no trace of the message any more.'),
};

/** The words for what an address is here. */
export const addressKindWords: { readonly [Kind in AddressKind]: string } = {
  ACCOUNT: 'The address of an account',
  ALIAS: 'An alias of an account',
  GROUP: 'The address of a group',
  CATCH_ALL: 'No address, but its domain has a catch-all',
  ROLE: 'An address that every domain has; an admin gets its mail until an account has it',
  REMOVED: 'An address of a deleted account, which nobody else has',
  SENDER: 'A sender address, which no account has',
  UNKNOWN: 'No address of this deployment, which has its domain',
  OUTSIDE: 'An address outside',
};

/** Receipt rules have the addresses, or only the domains where there are thousands of addresses. */
const refused = ': by SES, which leaves no record, or in a large deployment by a bounce, which is listed.';

/** The words for what happens now to mail that arrives for an address. */
export const incomingWords: { readonly [Fate in IncomingMail]: StateWords } = {
  DELIVERED: success('Delivered', 'Mail for the address is delivered.'),
  WAITS_FOR_ROOM: warning(
    'Waits for room',
    'The account is full: mail waits for 20 hours, and then it is bounced.',
    'Raise the limit of the account, or have its owner destroy mail.',
  ),
  REFUSED_NO_MEMBERS: error(
    'Refused',
    'The group has no member that receives mail, so its mail is refused by a bounce, which is listed.',
    'Add members to the group.',
  ),
  REFUSED_INACTIVE: error('Refused', `The alias is not active, so its mail is refused${refused}`, 'Activate the alias.'),
  REFUSED_REMOVED: error('Refused', `The account is deleted, so its mail is refused${refused}`, 'Restore the account.'),
  REFUSED_UNKNOWN: error(
    'Refused',
    `There is no such address, so its mail is refused${refused}`,
    'Compare the address with those of the person, or add it as an alias.',
  ),
  REFUSED_DOMAIN: error(
    'Refused',
    'The domain does not receive mail here. Such mail is on no record.',
    'Enable receiving for the domain, and apply its DNS records.',
  ),
  NOT_HERE: stopped('Not here', 'Another mail service receives the mail of the domain.'),
};

/** The words for what happens now to mail from an address. */
export const outgoingWords: { readonly [Fate in OutgoingMail]: StateWords } = {
  SENT: success('Sent', 'Mail from the address is sent.'),
  REFUSED_INACTIVE: error('Refused', 'The alias is not active, so nobody may send from it.', 'Activate the alias.'),
  REFUSED_ADDRESS: warning('Refused', 'Nobody may send from the address.', 'Allow sending from the alias, or send from its account’s own address.'),
  REFUSED_DOMAIN: error('Refused', 'The domain may not send.', 'Enable sending for the domain, once it is verified.'),
  REFUSED_REMOVED: error('Refused', 'The account is deleted.', 'Restore the account.'),
  TEST_ONLY: warning('Tests only', 'No account has the address. Test mail is sent from it, once it is verified.', 'Look at its verification under Domains.'),
  NOT_HERE: stopped('Not here', 'No account has the address, so nobody may send from it.'),
};
