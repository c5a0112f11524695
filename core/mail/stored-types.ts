import { emailDeliveryType, emailType } from './email/email-type.ts';
import { mailboxType } from './mailbox/mailbox-type.ts';
import { storedTypeTable, type StoredTypes } from './stored-type.ts';
import { threadType } from './thread-type.ts';

/** Every type that has a state in the mail store: one line for each. The other registry, of methods, is `lambdas/jmap/methods.ts`. */
export const storedTypes: StoredTypes = storedTypeTable([
  mailboxType,
  emailType,
  emailDeliveryType,
  threadType,
]);
