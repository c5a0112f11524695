import { addressBook } from '../../contract/jmap/address-book.ts';
import { blobCopy, blobGet, blobLookup, blobUpload } from '../../contract/jmap/blob.ts';
import { contactCard } from '../../contract/jmap/contact-card.ts';
import type { JsonObject } from '../../contract/jmap/data-type.ts';
import { emailSubmission } from '../../contract/jmap/email-submission.ts';
import { email } from '../../contract/jmap/email.ts';
import { identity } from '../../contract/jmap/identity.ts';
import { mailbox } from '../../contract/jmap/mailbox.ts';
import { coreEcho } from '../../contract/jmap/record.ts';
import { pushSubscription } from '../../contract/jmap/push-subscription.ts';
import { quota } from '../../contract/jmap/quota.ts';
import { searchSnippetGet as searchSnippetGetMethod } from '../../contract/jmap/search-snippet.ts';
import { thread } from '../../contract/jmap/thread.ts';
import { vacationResponse } from '../../contract/jmap/vacation-response.ts';
import { addressBookBehaviour } from './address-book/get.ts';
import { contactCardBehaviour } from './contact-card/copy.ts';
import { copyBlobs } from './blob/copy.ts';
import { getBlobs } from './blob/get.ts';
import { lookupBlobs } from './blob/lookup.ts';
import { uploadBlobs } from './blob/upload.ts';
import { emailSubmissionBehaviour } from './email-submission/query.ts';
import { emailBehaviour } from './email/get.ts';
import { identityBehaviour } from './identity/get.ts';
import { mailboxBehaviour } from './mailbox/get.ts';
import { customMethod, type Methods } from './request/method.ts';
import { pushSubscriptionBehaviour } from './push-subscription/get.ts';
import { quotaBehaviour } from './quota/get.ts';
import { searchSnippetGet } from './search-snippet/get.ts';
import { threadBehaviour } from './thread/get.ts';
import { vacationResponseBehaviour } from './vacation-response/set.ts';
import { recordMethods } from './request/standard-methods.ts';

/** All JMAP methods. The types that are stored are in `core/mail-types/mail-store/stored-types.ts`. */
export const methods: Methods = new Map([
  customMethod(coreEcho, (args: JsonObject) => args),
  ...recordMethods(mailbox, mailboxBehaviour),
  ...recordMethods(thread, threadBehaviour),
  ...recordMethods(email, emailBehaviour),
  customMethod(searchSnippetGetMethod, searchSnippetGet),
  customMethod(blobCopy, copyBlobs),
  customMethod(blobUpload, uploadBlobs),
  customMethod(blobGet, getBlobs),
  customMethod(blobLookup, lookupBlobs),
  ...recordMethods(identity, identityBehaviour),
  ...recordMethods(emailSubmission, emailSubmissionBehaviour),
  ...recordMethods(quota, quotaBehaviour),
  ...recordMethods(vacationResponse, vacationResponseBehaviour),
  ...recordMethods(addressBook, addressBookBehaviour),
  ...recordMethods(contactCard, contactCardBehaviour),
  ...recordMethods(pushSubscription, pushSubscriptionBehaviour),
]);
