import { storedTypeTable, type StoredTypes } from '../../account-log/records/stored-type.ts';
import { addressBookType } from '../address-book-type.ts';
import { contactCardType } from '../contact-card/contact-card-type.ts';
import { emailSubmissionType } from '../email-submission-type.ts';
import { emailDeliveryType, emailType } from '../email/email-type.ts';
import { identityType } from '../identity-type.ts';
import { mailboxType } from '../mailbox-type.ts';
import { quotaType } from '../quota/quota-type.ts';
import { threadType } from '../thread-type.ts';
import { vacationResponseType } from '../vacation-response-type.ts';

/** All types with a state in the mail store, one line each. Their JMAP methods are in `lambdas/jmap/methods.ts`. */
export const storedTypes: StoredTypes = storedTypeTable([
  mailboxType,
  emailType,
  emailDeliveryType,
  threadType,
  quotaType,
  identityType,
  emailSubmissionType,
  vacationResponseType,
  addressBookType,
  contactCardType,
]);
