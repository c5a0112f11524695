import { emailDeliveryType, emailType } from '../email/email-type.ts';
import { emailSubmissionType } from '../email-submission/email-submission-type.ts';
import { identityType } from '../identity/identity-type.ts';
import { mailboxType } from '../mailbox/mailbox-type.ts';
import { quotaType } from '../quota/quota-type.ts';
import { storedTypeTable, type StoredTypes } from '../../account-log/records/stored-type.ts';
import { threadType } from '../thread/thread-type.ts';
import { vacationResponseType } from '../vacation-response/vacation-response-type.ts';

/** All types with a state in the mail store; a new type adds a line here. JMAP methods: `lambdas/jmap/methods.ts`. */
export const storedTypes: StoredTypes = storedTypeTable([
  mailboxType,
  emailType,
  emailDeliveryType,
  threadType,
  quotaType,
  identityType,
  emailSubmissionType,
  vacationResponseType,
]);
